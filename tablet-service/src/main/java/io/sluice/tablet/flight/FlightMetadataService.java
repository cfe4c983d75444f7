package io.sluice.tablet.flight;

import com.google.protobuf.ByteString;
import io.grpc.stub.StreamObserver;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TablePath;
import io.sluice.protocol.error.StatusMapping;
import io.sluice.protocol.flight.v1.Command;
import io.sluice.protocol.flight.v1.ScanTicket;
import io.sluice.protocol.metadata.v1.TableInfo;
import io.sluice.tablet.flight.TableDirectory.Located;
import java.util.function.Supplier;
import org.apache.arrow.flight.impl.Flight.Action;
import org.apache.arrow.flight.impl.Flight.ActionType;
import org.apache.arrow.flight.impl.Flight.Criteria;
import org.apache.arrow.flight.impl.Flight.Empty;
import org.apache.arrow.flight.impl.Flight.FlightDescriptor;
import org.apache.arrow.flight.impl.Flight.FlightInfo;
import org.apache.arrow.flight.impl.Flight.HandshakeRequest;
import org.apache.arrow.flight.impl.Flight.HandshakeResponse;
import org.apache.arrow.flight.impl.Flight.Result;
import org.apache.arrow.flight.impl.Flight.SchemaResult;
import org.apache.arrow.flight.impl.FlightServiceGrpc;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The Flight calls that carry no data: decode, ask, encode. */
final class FlightMetadataService extends FlightServiceGrpc.FlightServiceImplBase {
  private static final Logger LOG = LoggerFactory.getLogger(FlightMetadataService.class);
  private static final ByteString HANDSHAKE_ANSWER =
      ByteString.copyFromUtf8(
          "anonymous: this server has no users; credentials are neither needed nor checked");

  private final TableDirectory directory;
  private final FlightInfos infos;
  private final FlightActions actions;

  FlightMetadataService(TableDirectory directory, FlightActions actions) {
    this.directory = directory;
    this.infos = new FlightInfos(directory);
    this.actions = actions;
  }

  /** Everybody is anonymous: the answer says so, and grants nothing. */
  @Override
  public StreamObserver<HandshakeRequest> handshake(StreamObserver<HandshakeResponse> answers) {
    return new StreamObserver<>() {
      @Override
      public void onNext(HandshakeRequest request) {
        answers.onNext(
            HandshakeResponse.newBuilder()
                .setProtocolVersion(request.getProtocolVersion())
                .setPayload(HANDSHAKE_ANSWER)
                .build());
      }

      @Override
      public void onError(Throwable gone) {
        LOG.debug("A handshake was given up: {}", gone.getMessage());
      }

      @Override
      public void onCompleted() {
        answers.onCompleted();
      }
    };
  }

  @Override
  public void listFlights(Criteria criteria, StreamObserver<FlightInfo> answers) {
    try {
      String database = criteria.getExpression().toStringUtf8();
      for (TableInfo table : directory.metadata().tables(database)) {
        answers.onNext(infos.listed(Located.of(table)));
      }
      answers.onCompleted();
    } catch (RuntimeException e) {
      fail(answers, e);
    }
  }

  @Override
  public void getFlightInfo(FlightDescriptor descriptor, StreamObserver<FlightInfo> answers) {
    answer(
        answers,
        () -> {
          ScanTicket scan = scan(descriptor);
          return infos.planned(locate(scan), scan, descriptor);
        });
  }

  @Override
  public void getSchema(FlightDescriptor descriptor, StreamObserver<SchemaResult> answers) {
    answer(
        answers,
        () -> {
          ScanTicket scan = scan(descriptor);
          ScanSchema schema = ScanSchema.of(locate(scan).schema(), scan);
          return SchemaResult.newBuilder().setSchema(FlightInfos.ipc(schema.arrow())).build();
        });
  }

  @Override
  public void doAction(Action action, StreamObserver<Result> answers) {
    answer(
        answers,
        () -> Result.newBuilder().setBody(actions.run(action.getType(), action.getBody())).build());
  }

  @Override
  public void listActions(Empty request, StreamObserver<ActionType> answers) {
    actions
        .descriptions()
        .forEach(
            (name, description) ->
                answers.onNext(
                    ActionType.newBuilder().setType(name).setDescription(description).build()));
    answers.onCompleted();
  }

  private Located locate(ScanTicket scan) {
    Located table = directory.locate(new TablePath(scan.getDatabase(), scan.getTable()));
    if (scan.getTableId() != 0 && scan.getTableId() != table.tableId()) {
      throw new SluiceException(
          ErrorCode.TABLE_CHANGED,
          "The scan is for "
              + table.path()
              + " with id "
              + scan.getTableId()
              + "; the table of this name now has id "
              + table.tableId());
    }
    ScanPlanner.checkKvScan(table.path(), table.schema(), scan);
    return table;
  }

  private static ScanTicket scan(FlightDescriptor descriptor) {
    if (Descriptors.isPath(descriptor)) {
      TablePath path = Descriptors.table(descriptor);
      return ScanTicket.newBuilder().setDatabase(path.database()).setTable(path.table()).build();
    }
    Command command = Descriptors.command(descriptor);
    if (command.getCommandCase() != Command.CommandCase.SCAN) {
      throw new SluiceException(
          ErrorCode.INVALID_ARGUMENT,
          "The command of GetFlightInfo must be scan, not " + command.getCommandCase());
    }
    return command.getScan();
  }

  private static <T> void answer(StreamObserver<T> answers, Supplier<T> work) {
    try {
      answers.onNext(work.get());
      answers.onCompleted();
    } catch (RuntimeException e) {
      fail(answers, e);
    }
  }

  private static void fail(StreamObserver<?> answers, RuntimeException failure) {
    if (StatusMapping.fromStatus(failure).code() == ErrorCode.INTERNAL) {
      LOG.error("A Flight call failed", failure);
    }
    answers.onError(StatusMapping.toStatus(failure));
  }
}
