package io.sluice.format.batch;

import com.github.luben.zstd.ZstdDecompressCtx;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * Contexts that decompress Zstandard frames. One takes about 0.1 MB outside of the heap whatever it
 * has decompressed, too much for one in every bucket and every open stream: as many are at work as
 * there are threads that decode, and a few wait for the next batch. They belong to no allocator and
 * have no settings, so there is one place for the whole process. Thread-safe.
 */
final class ZstdContexts {
  /** Those of all decoders. */
  static final ZstdContexts SHARED = new ZstdContexts(8);

  private final int maxIdle;
  // Guarded by this; the one used last comes first.
  private final ArrayDeque<ZstdDecompressCtx> idle = new ArrayDeque<>();
  private int atWork;

  /**
   * @param maxIdle contexts that are kept while nobody decompresses
   */
  ZstdContexts(int maxIdle) {
    this.maxIdle = maxIdle;
  }

  /** A context for one owner, who gives it back. */
  ZstdDecompressCtx take() {
    ZstdDecompressCtx known = first();
    return known == null ? new ZstdDecompressCtx() : known;
  }

  private synchronized @Nullable ZstdDecompressCtx first() {
    atWork++;
    return idle.pollFirst();
  }

  /** Takes a context back, after a failure too: each frame begins anew. */
  void give(ZstdDecompressCtx context) {
    ZstdDecompressCtx left = keep(context);
    if (left != null) {
      left.close();
    }
  }

  private synchronized @Nullable ZstdDecompressCtx keep(ZstdDecompressCtx context) {
    atWork--;
    idle.addFirst(context);
    return idle.size() > maxIdle ? idle.removeLast() : null;
  }

  /** Contexts that somebody has now. */
  synchronized int atWork() {
    return atWork;
  }

  /** Contexts that wait. */
  synchronized int idle() {
    return idle.size();
  }
}
