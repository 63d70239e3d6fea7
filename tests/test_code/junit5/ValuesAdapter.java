import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;

// Turns values of all types. FAULT makes it a wrong one, TEXT is the text that is heard in front of one that is not empty.
class ValuesAdapter implements ValuesTest.Sut {
    private final String fault = System.getenv().getOrDefault("FAULT", "");
    private final Object base;

    ValuesAdapter(Map<String, Object> initial) {
        base = initial.get("base");
    }

    public Map<String, Object> step(Map<String, Object> inputs) {
        if (inputs.get("int") == null) {
            // A coin, which shows the other side if that is the ANSWER.
            if (inputs.get("bool") == null) return Map.of();
            return Map.of("new_bool", (Boolean) inputs.get("bool") != System.getenv().containsKey("ANSWER"));
        }
        BigInteger number = (BigInteger) inputs.get("int");
        if (fault.equals("rounded")) number = new BigDecimal(number.doubleValue()).toBigInteger();
        String text = (String) inputs.get("str");
        if (fault.equals("plain")) text = text.replaceAll("[^ -~]", "?");
        String front = text.isEmpty() ? "" : new String(HexFormat.of().parseHex(System.getenv("TEXT")), StandardCharsets.UTF_8);
        Map<?, ?> whole = (Map<?, ?>) inputs.get("struct");
        ValuesTest.Ratio real = (ValuesTest.Ratio) inputs.get("float");
        BigInteger two = BigInteger.TWO, below = real.denominator();
        ValuesTest.Tag none = new ValuesTest.Tag("None"), some = new ValuesTest.Tag("Some");
        List<Object> list = new ArrayList<>((List<?>) inputs.get("list"));
        Collections.reverse(list);
        list.add(base);
        Map<String, Object> outputs = new HashMap<>();
        outputs.put("new_int", number.add(BigInteger.ONE));
        outputs.put("new_float", new ValuesTest.Ratio(real.numerator().multiply(two).add(below), below.multiply(two)));
        outputs.put("new_bool", !(Boolean) inputs.get("bool"));
        outputs.put("new_enum", Map.of("Red", "Green", "Green", "Blue", "Blue", "Red").get(inputs.get("enum")));
        Object left = whole.get("left"), right = whole.get("right");
        outputs.put("new_struct", Map.of("left", right, "right", left, "weight", whole.get("weight")));
        outputs.put("new_union", turned((List<?>) inputs.get("union")));
        outputs.put("new_nil", inputs.get("nil").equals(List.of(none)) ? List.of(some, number) : List.of(none));
        outputs.put("new_list", list);
        outputs.put("new_set", with(inputs.get("set"), number));
        Map<Object, Object> map = new HashMap<>((Map<?, ?>) inputs.get("map"));
        map.put(text, number);
        outputs.put("new_map", map);
        outputs.put("new_str", front + text);
        outputs.put("new_parts", with(inputs.get("parts"), left));
        return outputs;
    }

    private static Set<Object> with(Object set, Object member) {
        Set<Object> out = new HashSet<>((Set<?>) set);
        out.add(member);
        return out;
    }

    private static List<Object> turned(List<?> shape) {
        String name = ((ValuesTest.Tag) shape.get(0)).name();
        ValuesTest.Tag circle = new ValuesTest.Tag("Circle"), box = new ValuesTest.Tag("Box");
        return switch (name) {
            case "Dot" -> List.of(circle, 1);
            case "Circle" -> List.of(box, shape.get(1), 2);
            case "Box" -> List.of(box, shape.get(2), shape.get(1));
            default -> List.of(shape.get(0), turned((List<?>) shape.get(2)), turned((List<?>) shape.get(1)));
        };
    }

    public void close() {}
}
