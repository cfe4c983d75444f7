package io.sluice.systemtests.replicated;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a link does to the bytes of a server that answers each with the next number. */
final class LinkTest {
  private static final int SILENCE_MS = 100;

  private ServerSocket server;
  private Link link;

  @BeforeEach
  void open() throws IOException {
    server = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
    start(this::serve);
    link = Link.open("1-2");
    link.leadTo(server.getLocalPort());
  }

  @AfterEach
  void close() throws IOException {
    link.close();
    server.close();
  }

  @Test
  void carriesBytesBothWays() throws IOException {
    try (Socket client = connect()) {
      assertThat(ask(client, 7)).isEqualTo(8);
      assertThat(ask(client, 9)).isEqualTo(10);
    }
  }

  @Test
  void cutLinkIsSilentAndDeliversWhenItHeals() throws IOException {
    try (Socket client = connect()) {
      assertThat(ask(client, 1)).isEqualTo(2);
      link.cut();
      assertSilence(client, 5);
      link.heal();
      assertThat(client.getInputStream().read()).isEqualTo(6);
    }
  }

  @Test
  void cutLinkTakesConnectionsAndSaysNothing() throws IOException {
    link.cut();
    try (Socket client = connect()) {
      assertSilence(client, 1);
      link.heal();
      assertThat(client.getInputStream().read()).isEqualTo(2);
    }
  }

  @Test
  void answersAloneCanBeLost() throws IOException {
    try (Socket client = connect()) {
      link.cutAnswers();
      assertSilence(client, 3);
      link.heal();
      assertThat(client.getInputStream().read()).isEqualTo(4);
    }
  }

  @Test
  void resetBreaksConnectionsAndNewOnesWork() throws IOException {
    try (Socket client = connect()) {
      assertThat(ask(client, 1)).isEqualTo(2);
      link.reset();
      assertThat(isBroken(client)).isTrue();
    }
    try (Socket client = connect()) {
      assertThat(ask(client, 1)).isEqualTo(2);
    }
  }

  @Test
  void refusedTargetBreaksTheConnection() throws IOException {
    server.close();
    try (Socket client = connect()) {
      assertThat(isBroken(client)).isTrue();
    }
  }

  private Socket connect() throws IOException {
    Socket client =
        new Socket(
            InetAddress.getLoopbackAddress(), Integer.parseInt(link.address().split(":")[1]));
    client.setSoTimeout(10_000);
    return client;
  }

  private static int ask(Socket client, int number) throws IOException {
    client.getOutputStream().write(number);
    return client.getInputStream().read();
  }

  private static void assertSilence(Socket client, int number) throws IOException {
    client.getOutputStream().write(number);
    client.setSoTimeout(SILENCE_MS);
    assertThatThrownBy(() -> client.getInputStream().read())
        .isInstanceOf(SocketTimeoutException.class);
    client.setSoTimeout(10_000);
  }

  private static boolean isBroken(Socket client) {
    try {
      return client.getInputStream().read() < 0;
    } catch (IOException reset) {
      return true;
    }
  }

  private static void start(Runnable body) {
    Thread thread = new Thread(body, "numbers");
    thread.setDaemon(true);
    thread.start();
  }

  private void serve() {
    while (!server.isClosed()) {
      try {
        Socket client = server.accept();
        start(() -> answer(client));
      } catch (IOException closed) {
        return;
      }
    }
  }

  private static void answer(Socket client) {
    try (client) {
      for (int number; (number = client.getInputStream().read()) >= 0; ) {
        client.getOutputStream().write(number + 1);
      }
    } catch (IOException broken) {
      // The test has seen enough.
    }
  }
}
