package io.sluice.format.filter;

import io.sluice.common.SluiceException;
import io.sluice.format.filter.Condition.And;
import io.sluice.format.filter.Condition.ColumnName;
import io.sluice.format.filter.Condition.Compare;
import io.sluice.format.filter.Condition.Constant;
import io.sluice.format.filter.Condition.In;
import io.sluice.format.filter.Condition.IsNull;
import io.sluice.format.filter.Condition.Like;
import io.sluice.format.filter.Condition.Not;
import io.sluice.format.filter.Condition.Operator;
import io.sluice.format.filter.Condition.Or;
import io.sluice.format.filter.Condition.Truth;
import io.sluice.format.filter.FilterTokens.Kind;
import io.sluice.format.filter.FilterTokens.Token;
import io.sluice.format.filter.Literal.TextLiteral;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads the grammar of {@code docs/filters.md} by recursive descent. One use, one text. */
final class FilterParser {
  /** Longest text of a filter. */
  static final int MAX_TEXT = 100_000;

  private static final int MAX_DEPTH = 64;
  private static final int MAX_LIST = 10_000;
  private static final String TESTS =
      "one of =, <>, <, <=, >, >=, [NOT] IN, [NOT] BETWEEN, [NOT] LIKE, IS [NOT] NULL is expected";

  private final FilterTokens tokens;
  private final LiteralParser literals;
  private int depth;

  FilterParser(String text) {
    if (text.length() > MAX_TEXT) {
      throw FilterTokens.error(
          text, MAX_TEXT + 1, "it has " + text.length() + " characters; the limit is " + MAX_TEXT);
    }
    this.tokens = new FilterTokens(text);
    this.literals = new LiteralParser(tokens);
  }

  /** The whole text as one condition. */
  Condition parse() {
    Condition condition = anyOf();
    if (tokens.peek().kind() != Kind.END) {
      throw tokens.unexpected("AND, OR or the end is expected");
    }
    return condition;
  }

  private Condition anyOf() {
    Condition first = allOf();
    if (!tokens.peek().isWord("OR")) {
      return first;
    }
    List<Condition> terms = new ArrayList<>(List.of(first));
    while (tokens.takeWord("OR")) {
      terms.add(allOf());
    }
    return new Or(List.copyOf(terms));
  }

  private Condition allOf() {
    Condition first = negated();
    if (!tokens.peek().isWord("AND")) {
      return first;
    }
    List<Condition> terms = new ArrayList<>(List.of(first));
    while (tokens.takeWord("AND")) {
      terms.add(negated());
    }
    return new And(List.copyOf(terms));
  }

  private Condition negated() {
    int position = tokens.peek().position();
    if (++depth > MAX_DEPTH) {
      throw tokens.errorAt(position, "conditions may be nested at most " + MAX_DEPTH + " deep");
    }
    Condition result;
    if (tokens.takeWord("NOT")) {
      result = new Not(negated());
    } else if (tokens.takeSign("(")) {
      result = anyOf();
      tokens.expectSign(")");
    } else {
      result = test();
    }
    depth--;
    return result;
  }

  private Condition test() {
    Token first = tokens.peek();
    if (literals.isNext()) {
      Literal literal = literals.next();
      Operator operator = null;
      boolean unequal = tokens.peek().isSign("<>") || tokens.peek().isSign("!=");
      if (unequal) {
        tokens.take();
        operator = Operator.EQUAL;
      } else {
        operator = takeOperator();
      }
      if (operator != null) {
        Condition compare = new Compare(column(), operator.flipped(), literal);
        return unequal ? new Not(compare) : compare;
      }
      if (literal instanceof Literal.TruthLiteral truth) {
        return new Constant(truth.value());
      }
      throw tokens.errorAt(
          first.position(), "a literal by itself is no condition; compare it with a column");
    }
    return testOf(column());
  }

  private Condition testOf(ColumnName column) {
    if (tokens.takeWord("IS")) {
      boolean not = tokens.takeWord("NOT");
      if (!tokens.takeWord("NULL")) {
        throw tokens.unexpected(not ? "NULL is expected" : "NULL or NOT NULL is expected");
      }
      return negatedIf(not, new IsNull(column));
    }
    if (tokens.peek().isSign("<>") || tokens.peek().isSign("!=")) {
      tokens.take();
      return new Not(new Compare(column, Operator.EQUAL, literal()));
    }
    Operator operator = takeOperator();
    if (operator != null) {
      return new Compare(column, operator, literal());
    }
    boolean not = tokens.takeWord("NOT");
    if (tokens.takeWord("IN")) {
      return negatedIf(not, new In(column, list()));
    }
    if (tokens.takeWord("BETWEEN")) {
      Literal low = literal();
      tokens.expectWord("AND");
      return negatedIf(
          not,
          new And(
              List.of(
                  new Compare(column, Operator.GREATER_OR_EQUAL, low),
                  new Compare(column, Operator.LESS_OR_EQUAL, literal()))));
    }
    if (tokens.takeWord("LIKE")) {
      Literal pattern = literal();
      if (!(pattern instanceof TextLiteral text)) {
        throw tokens.errorAt(pattern.position(), "LIKE takes a pattern in single quotes");
      }
      return negatedIf(not, new Like(column, text.value()));
    }
    Token next = tokens.peek();
    if (not || !(next.kind() == Kind.END || next.isSign(")") || endsTerm(next))) {
      throw tokens.unexpected(not ? "IN, BETWEEN or LIKE is expected" : TESTS);
    }
    return new Truth(column);
  }

  private static boolean endsTerm(Token token) {
    return token.isWord("AND") || token.isWord("OR");
  }

  private static Condition negatedIf(boolean not, Condition condition) {
    return not ? new Not(condition) : condition;
  }

  private @Nullable Operator takeOperator() {
    Token token = tokens.peek();
    if (token.kind() != Kind.SIGN) {
      return null;
    }
    Operator operator =
        switch (token.text()) {
          case "=" -> Operator.EQUAL;
          case "<" -> Operator.LESS;
          case "<=" -> Operator.LESS_OR_EQUAL;
          case ">" -> Operator.GREATER;
          case ">=" -> Operator.GREATER_OR_EQUAL;
          default -> null;
        };
    if (operator != null) {
      tokens.take();
    }
    return operator;
  }

  private List<Literal> list() {
    tokens.expectSign("(");
    List<Literal> values = new ArrayList<>();
    do {
      if (values.size() == MAX_LIST) {
        throw tokens.errorAt(
            tokens.peek().position(), "a list may have at most " + MAX_LIST + " values");
      }
      values.add(literal());
    } while (tokens.takeSign(","));
    if (!tokens.takeSign(")")) {
      throw tokens.unexpected("',' or ')' is expected");
    }
    return List.copyOf(values);
  }

  private Literal literal() {
    Token token = tokens.peek();
    if (token.isWord("NULL")) {
      throw tokens.errorAt(
          token.position(), "nothing is equal to NULL; write IS NULL or IS NOT NULL");
    }
    if (!literals.isNext()) {
      throw tokens.unexpected(
          "a literal is expected: a number, 'text', TRUE, FALSE, DATE '..', TIME '..',"
              + " TIMESTAMP '..' or X'..'");
    }
    return literals.next();
  }

  private ColumnName column() {
    int position = tokens.peek().position();
    List<String> parts = new ArrayList<>();
    do {
      parts.add(name());
    } while (tokens.takeSign("."));
    return new ColumnName(List.copyOf(parts), position);
  }

  private String name() {
    Token token = tokens.peek();
    if (token.isKeyword()) {
      throw keyword(token);
    }
    if (token.kind() != Kind.WORD && token.kind() != Kind.QUOTED) {
      throw tokens.unexpected("a column is expected");
    }
    return tokens.take().text();
  }

  private SluiceException keyword(Token token) {
    return tokens.errorAt(
        token.position(),
        "a column is expected; a column of the name of the keyword '"
            + token.text()
            + "' stands in double quotes");
  }
}
