import java.io.File;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.MiniDFSCluster;

/** A name node and a data node below the folder that is named; they end with their input. */
public class MiniDfs {
  public static void main(String[] args) throws Exception {
    Configuration conf = new Configuration();
    conf.set(MiniDFSCluster.HDFS_MINIDFS_BASEDIR, new File(args[0]).getAbsolutePath());
    MiniDFSCluster cluster = new MiniDFSCluster.Builder(conf).numDataNodes(1).build();
    cluster.waitActive();
    int web = cluster.getNameNode().getHttpAddress().getPort();
    System.out.println("HDFS on 127.0.0.1:" + web);
    while (System.in.read() >= 0) {}
    cluster.shutdown();
  }
}
