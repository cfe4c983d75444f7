package io.sluice.protocol.transport;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.handler.codec.http2.Http2ConnectionHandler;
import io.netty.handler.codec.http2.Http2Settings;

/**
 * Prepares an HTTP/2 connection for large messages: lets the peer send larger DATA frames than the
 * 16 KiB that a connection begins with, so that a batch is a few frames and not a hundred, and has
 * received bytes chained, not copied behind those that are not read yet. gRPC has no setting for
 * either. Removes itself once both are done.
 */
final class LargeFrames extends ChannelInboundHandlerAdapter {
  /** The most that one DATA frame may hold; larger ones would delay the small ones behind them. */
  static final int FRAME_BYTES = 256 * 1024;

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    ChannelPipeline pipeline = context.pipeline();
    Http2ConnectionHandler http2 = pipeline.get(Http2ConnectionHandler.class);
    if (http2 != null) {
      prepare(http2, pipeline.context(http2));
      pipeline.remove(this);
    }
    context.fireChannelRead(message);
  }

  private static void prepare(Http2ConnectionHandler http2, ChannelHandlerContext context) {
    http2.setCumulator(ByteToMessageDecoder.COMPOSITE_CUMULATOR);
    Http2Settings settings = new Http2Settings().maxFrameSize(FRAME_BYTES);
    http2.encoder().writeSettings(context, settings, context.newPromise());
    http2.flush(context);
  }
}
