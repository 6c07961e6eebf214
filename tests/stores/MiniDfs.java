import java.io.File;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.hdfs.MiniDFSNNTopology;

/**
 * Name nodes and a data node below the folder that is named; they end with their input. With two
 * name nodes, as many as the second word says, the second one is active; a line of input makes the
 * other one active.
 */
public class MiniDfs {
  public static void main(String[] args) throws Exception {
    Configuration conf = new Configuration();
    conf.set(MiniDFSCluster.HDFS_MINIDFS_BASEDIR, new File(args[0]).getAbsolutePath());
    boolean two = args[1].equals("2");
    MiniDFSCluster.Builder builder = new MiniDFSCluster.Builder(conf).numDataNodes(1);
    if (two) {
      builder.nnTopology(MiniDFSNNTopology.simpleHATopology());
    }
    MiniDFSCluster cluster = builder.build();
    int active = two ? 1 : 0;
    if (two) {
      cluster.transitionToActive(active);
    }
    cluster.waitActive(active);
    System.out.println("HDFS on " + address(cluster, 0) + (two ? "," + address(cluster, 1) : ""));
    for (int read = System.in.read(); read >= 0; read = System.in.read()) {
      if (read == '\n') {
        cluster.transitionToStandby(active);
        active = 1 - active;
        cluster.transitionToActive(active);
        System.out.println("active: " + active);
      }
    }
    cluster.shutdown();
  }

  private static String address(MiniDFSCluster cluster, int node) {
    return "127.0.0.1:" + cluster.getNameNode(node).getHttpAddress().getPort();
  }
}
