package io.sluice.format.projection;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.batch.BatchLayout;
import io.sluice.format.schema.ArrowLayout;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.DataType;
import io.sluice.format.schema.DataType.ArrayType;
import io.sluice.format.schema.DataType.BinaryType;
import io.sluice.format.schema.DataType.BytesType;
import io.sluice.format.schema.DataType.MapType;
import io.sluice.format.schema.DataType.RowType;
import io.sluice.format.schema.DefaultValues;
import io.sluice.format.schema.TableSchema;
import io.sluice.format.schema.TypeWidening;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Finds the steps from one schema to the wanted columns of another. Used once. */
final class ProjectionSteps {
  private final TableSchema stored;
  private final BatchLayout layout;
  private final ColumnSelection wanted;
  private final boolean newer;
  private final List<ProjectionStep> steps = new ArrayList<>();
  private final List<Integer> requiredNodes = new ArrayList<>();
  private int wantedNode;

  ProjectionSteps(TableSchema stored, BatchLayout layout, ColumnSelection wanted) {
    this.stored = stored;
    this.layout = layout;
    this.wanted = wanted;
    this.newer = stored.schemaId() > wanted.schema().schemaId();
  }

  /** The steps in the order of the wanted nodes. Called once. */
  List<ProjectionStep> find() {
    Map<Integer, Integer> positions = new HashMap<>();
    for (int i = 0; i < stored.size(); i++) {
      positions.put(stored.columns().get(i).id(), i);
    }
    for (Column target : wanted.columns()) {
      Integer position = positions.get(target.id());
      if (position == null) {
        absent(target);
        continue;
      }
      Column source = stored.columns().get(position);
      int node = layout.firstNode(position);
      if (source.nullable() && !target.nullable()) {
        requiredNodes.add(node);
      }
      stored(node, source.type(), target.type(), target.name());
    }
    return steps;
  }

  /** Stored nodes of columns that may have NULLs where the wanted schema has none. */
  List<Integer> requiredNodes() {
    return requiredNodes;
  }

  private void absent(Column target) {
    if (newer) {
      throw changed(target.name(), "was dropped");
    }
    String text = target.initialDefault();
    if (text != null) {
      steps.add(
          new ProjectionStep.Constant(target.type(), DefaultValues.parse(target.type(), text)));
      wantedNode++;
      return;
    }
    if (!target.nullable()) {
      throw new SluiceException(
          ErrorCode.UNSUPPORTED,
          "Column '" + target.name() + "' is NOT NULL and missing in schema " + stored.schemaId());
    }
    nulls(target.type(), -1);
  }

  private void nulls(DataType type, int storedParent) {
    int end = wantedNode + ArrowLayout.nodeCount(type);
    steps.add(new ProjectionStep.Nulls(wantedNode, end, storedParent));
    wantedNode = end;
  }

  private void stored(int node, DataType from, DataType to, String name) {
    if (from instanceof ArrayType source && to instanceof ArrayType target) {
      copy(node);
      checkNullable(source.elementNullable(), target.elementNullable(), name);
      stored(node + 1, source.element(), target.element(), name + ".element");
    } else if (from instanceof MapType source && to instanceof MapType target) {
      copy(node);
      copy(node + 1);
      checkNullable(source.valueNullable(), target.valueNullable(), name);
      stored(node + 2, source.key(), target.key(), name + ".key");
      int values = node + 2 + ArrowLayout.nodeCount(source.key());
      stored(values, source.value(), target.value(), name + ".value");
    } else if (from instanceof RowType source && to instanceof RowType target) {
      copy(node);
      fields(node, source, target, name);
    } else {
      scalar(node, from, to, name);
    }
  }

  private void fields(int node, RowType from, RowType to, String name) {
    for (RowType.Field target : to.fields()) {
      int at = node + 1;
      RowType.Field found = null;
      for (RowType.Field source : from.fields()) {
        if (isSame(source, target)) {
          found = source;
          break;
        }
        at += ArrowLayout.nodeCount(source.type());
      }
      String path = name + '.' + target.name();
      if (found != null) {
        checkNullable(found.nullable(), target.nullable(), path);
        stored(at, found.type(), target.type(), path);
      } else if (newer) {
        throw changed(path, "was dropped");
      } else {
        nulls(target.type(), node);
      }
    }
  }

  /** By id; types that never belonged to a table have none. */
  private static boolean isSame(RowType.Field source, RowType.Field target) {
    return source.id() > 0 && target.id() > 0
        ? source.id() == target.id()
        : source.name().equals(target.name());
  }

  private void scalar(int node, DataType from, DataType to, String name) {
    boolean widened = !from.equals(to) && TypeWidening.allowed(from, to);
    if (!from.equals(to) && newer) {
      throw changed(name, "became " + from);
    }
    if (!from.equals(to) && !widened) {
      throw new SluiceException(
          ErrorCode.UNSUPPORTED,
          "Column '"
              + name
              + "' is "
              + from
              + " in schema "
              + stored.schemaId()
              + " and cannot be read as "
              + to);
    }
    if (from instanceof BinaryType binary && to instanceof BytesType) {
      steps.add(new ProjectionStep.Loosen(node, binary.length()));
      wantedNode++;
      return;
    }
    BufferWidening widening = BufferWidening.of(from, to);
    if (!widened || widening.isNone(from)) {
      copy(node);
    } else {
      steps.add(new ProjectionStep.Widen(node, widening, name));
      wantedNode++;
    }
  }

  private void copy(int node) {
    ProjectionStep.Copy next = new ProjectionStep.Copy(node, node + 1);
    ProjectionStep.Copy joined =
        ProjectionStep.joined(steps.isEmpty() ? null : steps.get(steps.size() - 1), next);
    if (joined == null) {
      steps.add(next);
    } else {
      steps.set(steps.size() - 1, joined);
    }
    wantedNode++;
  }

  private void checkNullable(boolean source, boolean target, String name) {
    if (source && !target) {
      throw changed(name, "may be NULL now");
    }
  }

  private SluiceException changed(String name, String what) {
    return new SluiceException(
        ErrorCode.SCHEMA_CHANGED,
        "Column '"
            + name
            + "' "
            + what
            + " in schema "
            + stored.schemaId()
            + ", which later rows are stored under; read on with that schema instead of "
            + wanted.schema().schemaId());
  }
}
