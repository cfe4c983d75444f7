package io.sluice.cli.bench.compare;

/** Servers of which the one that stores rows can be killed and started again. */
interface RestartableServers extends Servers {
  /** Ends the server of rows with kill -9 and returns when it is gone. */
  void killRowServer() throws InterruptedException;

  /** Starts it again and returns its process id when it takes connections. */
  long startRowServer() throws InterruptedException;
}
