/** What answers of lake-service mean. */
package io.sluice.tiering.commit;
