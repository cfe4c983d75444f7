@NullMarked
package io.sluice.lake.commit;

import org.jspecify.annotations.NullMarked;
