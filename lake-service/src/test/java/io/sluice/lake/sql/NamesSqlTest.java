package io.sluice.lake.sql;

import static io.sluice.lake.sql.StartedGateway.row;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How names of columns and tables in statements are resolved. */
final class NamesSqlTest extends GatewayTest {
  @BeforeEach
  void open() {
    gateway.run("CREATE TABLE pets (k INT, Name STRING, v INT, PRIMARY KEY (k) NOT ENFORCED)");
    gateway.run("INSERT INTO pets VALUES (1, 'a', 10), (2, 'b', 20)");
    gateway.run("CREATE TABLE twins (k INT, ab INT, `AB` INT, PRIMARY KEY (k) NOT ENFORCED)");
  }

  @Test
  void columnsOfWritesAreFoundWhateverTheCaseOfTheirLetters() {
    gateway.run("INSERT INTO pets (NAME, K) VALUES ('c', 3)");
    assertThat(gateway.cluster.lastSinkColumns).containsExactly("Name", "k");
    gateway.run("INSERT INTO pets (v, name, K) VALUES (40, 'd', 4)");
    gateway.run("UPDATE pets SET nAME = 'z' WHERE K = 1");
    gateway.run("DELETE FROM pets WHERE `K` = 2");
    assertThat(gateway.rows("SELECT k, name FROM pets ORDER BY k"))
        .containsExactly(row(1, "z"), row(3, "c"), row(4, "d"));
  }

  @Test
  void theNameItselfGoesBeforeOneThatDiffersByCase() {
    gateway.run("INSERT INTO twins (k, AB) VALUES (1, 5)");
    assertThat(gateway.cluster.lastSinkColumns).containsExactly("k", "AB");
    gateway.run("UPDATE twins SET ab = 6 WHERE k = 1");
    assertThat(gateway.cluster.lastSinkColumns).containsExactly("k", "ab");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "INSERT INTO pets (k, K) VALUES (1, 2)|INVALID_SQL|Column 'k' is named twice",
        "INSERT INTO pets (k, naem) VALUES (1, 2)|COLUMN_NOT_FOUND|did you mean Name",
        "INSERT INTO twins (k, Ab) VALUES (1, 2)|INVALID_SQL|'Ab' may mean: ab, AB",
        "UPDATE twins SET aB = 1 WHERE k = 1|INVALID_SQL|'aB' may mean: ab, AB",
        "UPDATE pets SET v = 1, V = 2 WHERE k = 1|INVALID_SQL|Column 'v' is set twice",
        "SELECT 1 FROM other.demo.pets|INVALID_SQL|catalog 'other'; here is only 'sluice'",
        "INSERT INTO other.demo.pets VALUES (1)|INVALID_SQL|leave 'other' out",
        "DELETE FROM other.demo.pets WHERE k = 1|INVALID_SQL|leave 'other' out",
        "DROP TABLE a.sluice.demo.pets|INVALID_SQL|has 4 names; write database.table",
        "CREATE DATABASE other.made|INVALID_SQL|leave 'other' out",
        "SHOW TABLES FROM other.demo|INVALID_SQL|leave 'other' out",
        "SELECT 1 FROM sluice.demo.petz|TABLE_NOT_FOUND|did you mean pets",
        "SELECT 1 FROM sluice.information_schema.tables|PERMISSION_DENIED|belongs to the engine"
      })
  void namesThatMeanNothingHereAreRefused(String statement, ErrorCode code, String message) {
    SluiceException failure = gateway.failure(statement);
    assertThat(failure.code()).as(failure.getMessage()).isEqualTo(code);
    assertThat(failure).hasMessageContaining(message);
  }

  @Test
  void theCatalogOfTheClusterMayBeWritten() {
    gateway.run("INSERT INTO sluice.demo.pets SELECT k + 2, name, v FROM `sluice` . demo.pets");
    assertThat(
            gateway.rows(
                "WITH b AS (SELECT * FROM Sluice.demo.pets WHERE v = 20)\n"
                    + "SELECT a.k, b.k FROM sluice\n.demo.pets AS a, b\n"
                    + "WHERE a.v = 10 AND a.k IN (SELECT k FROM \"sluice\".demo.pets)"
                    + " ORDER BY 1, 2"))
        .containsExactly(row(1, 2), row(1, 4), row(3, 2), row(3, 4));
    gateway.run("UPDATE sluice.demo.pets SET v = 30 WHERE k = 3");
    gateway.run("DELETE FROM sluice.demo.pets WHERE k = 4");
    assertThat(gateway.rows("SELECT pets.v FROM sluice.demo.pets ORDER BY v"))
        .containsExactly(row(10), row(20), row(30));
    gateway.run("CREATE DATABASE sluice.shop");
    gateway.run("CREATE TABLE sluice.shop.orders (id INT)");
    gateway.run("COMMENT ON COLUMN sluice.shop.orders.id IS 'one'");
    assertThat(gateway.rows("SHOW TABLES FROM sluice.shop")).containsExactly(row("orders"));
    assertThat(gateway.rows("DESCRIBE sluice.shop.orders"))
        .extracting(each -> each.get(5))
        .containsExactly("one");
    assertThat(gateway.rows("EXPLAIN SELECT id FROM sluice.shop.orders"))
        .contains(row("Table shop.orders:"));
  }

  @Test
  void aDatabaseMayHaveTheNameOfTheCatalog() {
    gateway.run("CREATE DATABASE sluice");
    gateway.run("CREATE TABLE sluice.items (id INT)");
    gateway.run("INSERT INTO sluice.items VALUES (7)");
    assertThat(gateway.rows("SELECT sluice.items.id FROM sluice.items")).containsExactly(row(7));
    assertThat(gateway.rows("SELECT id FROM sluice.sluice.items")).containsExactly(row(7));
  }
}
