package io.sluice.protocol.flight;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class InPlaceBytesTest {
  @Test
  void refusesWhatWouldBeTooMuchUntilRoomIsGivenBack() {
    InPlaceBytes room = new InPlaceBytes(100);
    assertThat(room.take(60)).isTrue();
    assertThat(room.take(50)).isFalse();
    assertThat(room.take(40)).isTrue();
    assertThat(room.used()).isEqualTo(100);
    room.give(60);
    assertThat(room.take(50)).isTrue();
    assertThat(room.used()).isEqualTo(90);
  }
}
