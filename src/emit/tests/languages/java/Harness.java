@ABOUT@
import static org.junit.jupiter.api.Assertions.fail;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class @NAME@Test {
    // What a value is at first sight.
    interface Kind {
        boolean has(Object value);
    }

    static final Kind BOOL = value -> value instanceof Boolean;
    static final Kind REAL = value -> isNumber(value);
    static final Kind INT = value -> isNumber(value) && isWhole(ratio(value));
    static final Kind TEXT = value -> value instanceof String;
    static final Kind ANY = value -> true;

    static Kind oneOf(String... names) {
        return value -> Arrays.asList(names).contains(value);
    }

    static Kind record(Map<String, Kind> kinds) {
        return value -> value instanceof Map<?, ?> data && fitsKinds(kinds, data);
    }

    static Kind optional(Kind kind) {
        return value -> value == null || kind.has(value);
    }

    static Kind listOf(Kind kind) {
        return value -> value instanceof List<?> all && all.stream().allMatch(kind::has);
    }

    static Kind setOf(Kind kind) {
        return value -> value instanceof Set<?> all && all.stream().allMatch(kind::has);
    }

    static Kind mapOf(Kind key, Kind kind) {
        return value -> value instanceof Map<?, ?> all
                && all.entrySet().stream().allMatch(pair -> key.has(pair.getKey()) && kind.has(pair.getValue()));
    }

    // A constructor with its arguments.
    static Kind made(String name, Kind... kinds) {
        return value -> {
            if (!(value instanceof List<?> all) || all.size() != kinds.length + 1) return false;
            if (!(all.get(0) instanceof Tag tag) || !tag.name().equals(name)) return false;
            for (int i = 0; i < kinds.length; i++) if (!kinds[i].has(all.get(i + 1))) return false;
            return true;
        };
    }

    static Kind madeOf(Kind... constructors) {
        return value -> Arrays.stream(constructors).anyMatch(one -> one.has(value));
    }

    static Map<String, Kind> kinds(Object... pairs) {
        Map<String, Kind> out = new LinkedHashMap<>();
        for (int i = 0; i < pairs.length; i += 2) out.put((String) pairs[i], (Kind) pairs[i + 1]);
        return out;
    }

    // Whether data has the names and the kinds that the model says.
    static boolean fitsKinds(Map<String, Kind> kinds, Map<?, ?> data) {
        return data.keySet().equals(kinds.keySet())
                && kinds.entrySet().stream().allMatch(kind -> kind.getValue().has(data.get(kind.getKey())));
    }

    // What is observed at each gate.
    static final Map<String, Map<String, Kind>> OBSERVED = new LinkedHashMap<>();

    static {
@OBSERVED@    }

    // The system refuses what it is given.
    static class Refused extends Exception {}

    // The name of a constructor.
    record Tag(String name) {}

    // An output.
    record Event(String gate, Map<String, Object> data) {}

    // A rational number.
    record Ratio(BigInteger numerator, BigInteger denominator) {}

    static Sut start(Map<String, Object> initial) throws Exception {
        return new @NAME@Adapter(initial);
    }

    static BigInteger num(long n) {
        return BigInteger.valueOf(n);
    }

    static BigInteger num(String digits) {
        return new BigInteger(digits);
    }

    static Ratio ratio(BigInteger numerator, BigInteger denominator) {
        return new Ratio(numerator, denominator);
    }

    // Values by name.
    static Map<String, Object> data(Object... pairs) {
        Map<String, Object> out = new LinkedHashMap<>();
        for (int i = 0; i < pairs.length; i += 2) out.put((String) pairs[i], pairs[i + 1]);
        return out;
    }

    static Object get(Object data, String... path) {
        for (String name : path) data = ((Map<?, ?>) data).get(name);
        return data;
    }

    static Ratio ratio(Object n) {
        if (n instanceof Ratio r) return r;
        if (n instanceof BigInteger i) return new Ratio(i, BigInteger.ONE);
        if (n instanceof Integer || n instanceof Long) return new Ratio(num(((Number) n).longValue()), BigInteger.ONE);
        throw new ClassCastException("not a number: " + n);
    }

    static int compare(Object a, Object b) {
        Ratio x = ratio(a), y = ratio(b);
        return x.numerator().multiply(y.denominator()).compareTo(y.numerator().multiply(x.denominator()));
    }

    static boolean isWhole(Ratio r) {
        return r.numerator().mod(r.denominator().abs()).signum() == 0;
    }

    static boolean isNumber(Object n) {
        return n instanceof Ratio || n instanceof BigInteger || n instanceof Integer || n instanceof Long;
    }

    static boolean same(Object a, Object b) {
        if (isNumber(a) && isNumber(b)) return compare(a, b) == 0;
        if (a instanceof List<?> x && b instanceof List<?> y) {
            if (x.size() != y.size()) return false;
            for (int i = 0; i < x.size(); i++) if (!same(x.get(i), y.get(i))) return false;
            return true;
        }
        if (a instanceof Set<?> x && b instanceof Set<?> y) {
            return x.size() == y.size() && x.stream().allMatch(one -> y.stream().anyMatch(other -> same(one, other)));
        }
        if (a instanceof Map<?, ?> x && b instanceof Map<?, ?> y) {
            return x.size() == y.size() && x.entrySet().stream().allMatch(one -> y.entrySet().stream()
                    .anyMatch(other -> same(one.getKey(), other.getKey()) && same(one.getValue(), other.getValue())));
        }
        return Objects.equals(a, b);
    }

    static Object plus(Object... numbers) {
        BigInteger n = BigInteger.ZERO, d = BigInteger.ONE;
        for (Object one : numbers) {
            Ratio r = ratio(one);
            n = n.multiply(r.denominator()).add(r.numerator().multiply(d));
            d = d.multiply(r.denominator());
        }
        return d.equals(BigInteger.ONE) ? n : new Ratio(n, d);
    }

    static Object times(Object... numbers) {
        BigInteger n = BigInteger.ONE, d = BigInteger.ONE;
        for (Object one : numbers) {
            n = n.multiply(ratio(one).numerator());
            d = d.multiply(ratio(one).denominator());
        }
        return d.equals(BigInteger.ONE) ? n : new Ratio(n, d);
    }

    // Something that the model allows.
    record Allowed(String gate, Predicate<Map<String, Object>> when) {}

    // What is as planned, and what the model allows instead.
    static class Rules {
        Predicate<Map<String, Object>> when;
        String says = "";
        boolean fits = true, others, lenient;
        List<Allowed> otherwise = List.of();

        Rules when(Predicate<Map<String, Object>> when) {
            this.when = when;
            return this;
        }

        Rules says(String says) {
            this.says = " with " + says;
            return this;
        }

        Rules fits(boolean fits) {
            this.fits = fits;
            return this;
        }

        Rules otherwise(Allowed... otherwise) {
            this.otherwise = Arrays.asList(otherwise);
            return this;
        }

        Rules others(boolean others) {
            this.others = others;
            return this;
        }

        Rules lenient(boolean lenient) {
            this.lenient = lenient;
            return this;
        }
    }

    // Whether a condition holds; data of another kind than the model's meets none.
    static boolean holds(Predicate<Map<String, Object>> condition, Map<String, Object> e) {
        try {
            return condition.test(e);
        } catch (ClassCastException | NullPointerException error) {
            return false;
        }
    }

    static String quoted(String text) {
        StringBuilder out = new StringBuilder("\"");
        for (char c : text.toCharArray()) {
            if (c == '"' || c == '\\') out.append('\\').append(c);
            else if (c < ' ' || c > '~') out.append(String.format("\\u%04x", (int) c));
            else out.append(c);
        }
        return out.append('"').toString();
    }

    static String plain(Object value) {
        if (value == null) return "absent";
        if (value instanceof String text) return quoted(text);
        if (value instanceof Tag tag) return tag.name();
        if (value instanceof Ratio r && isWhole(r)) return r.numerator().divide(r.denominator()).toString();
        if (value instanceof Ratio r) return r.numerator() + "/" + r.denominator();
        if (value instanceof List<?> list) return "[" + plainly(list) + "]";
        if (value instanceof Set<?> set) return "{" + plainly(set) + "}";
        if (value instanceof Map<?, ?> map) {
            List<String> parts = new ArrayList<>();
            map.forEach((key, one) -> parts.add((key instanceof String name && name.matches("\\w+") ? name : plain(key)) + "=" + plain(one)));
            return "(" + String.join(", ", parts) + ")";
        }
        return value.toString();
    }

    static String plainly(Iterable<?> values) {
        List<String> parts = new ArrayList<>();
        values.forEach(value -> parts.add(plain(value)));
        return String.join(", ", parts);
    }

    static String shown(String name, Map<String, Object> data) {
        return name + plain(data);
    }

    static void inconclusive(String why) {
        Assumptions.abort("inconclusive: " + why);
    }

    static void meets(boolean holds, String says) {
        if (!holds) inconclusive("the system did nothing wrong, but the purpose needs " + says);
    }

    static Map<String, Object> judge(int step, String on, String gate, Map<String, Object> planned, Rules rules, String name, Map<String, Object> data) {
        if (OBSERVED.containsKey(name) && fitsKinds(OBSERVED.get(name), data)) {
            if (name.equals(gate) && (rules.when == null ? same(data, planned) : holds(rules.when, data))) return data;
            boolean isAllowed = rules.otherwise.stream().anyMatch(one -> one.gate().equals(name) && holds(one.when(), data));
            if (rules.others || isAllowed) inconclusive("step " + step + ": the model may allow " + shown(name, data));
        }
        return fail("step " + step + ": " + on + "expected " + shown(gate, planned) + rules.says + ", got " + shown(name, data));
    }

    // Does something.
    interface Action {
        void act() throws Exception;
    }

    // Does something that must be refused.
    static void attempt(int step, String what, Action action, Rules rules) throws Exception {
        try {
            action.act();
        } catch (Refused refused) {
            return;
        }
        if (rules.lenient) inconclusive("step " + step + ": the model may take " + what + " here");
        fail("step " + step + ": expected " + what + " to be refused, and it was taken");
    }
@STYLE@@TESTS@}
