/**
 * What the options of a primary-key table say about its rows: how rows of one key become one, what
 * a delete does, what the changelog has, which column gets ids, how long rows live. Only the rules,
 * checked against the columns; nothing here touches a row.
 */
@NullMarked
package io.sluice.format.merge;

import org.jspecify.annotations.NullMarked;
