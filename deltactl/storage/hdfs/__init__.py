"""Tables in HDFS, over WebHDFS."""
