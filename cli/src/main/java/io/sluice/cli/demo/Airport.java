package io.sluice.cli.demo;

import io.sluice.format.row.Row;

/**
 * An airport as the file and the table have it.
 *
 * @param iata its code, the primary key
 * @param name its name
 * @param city the city it serves
 * @param state code of the state
 * @param country name of the country
 * @param latitude degrees north
 * @param longitude degrees east
 */
record Airport(
    String iata,
    String name,
    String city,
    String state,
    String country,
    double latitude,
    double longitude) {

  /** From a row with the table's columns, and possibly more behind them. */
  static Airport of(Row row) {
    return new Airport(
        row.getString(0),
        row.getString(1),
        row.getString(2),
        row.getString(3),
        row.getString(4),
        row.getDouble(5),
        row.getDouble(6));
  }

  /** A row of the table. */
  Row row() {
    return Row.of(iata, name, city, state, country, latitude, longitude);
  }

  /** The same airport under another name. */
  Airport renamed(String newName) {
    return new Airport(iata, newName, city, state, country, latitude, longitude);
  }
}
