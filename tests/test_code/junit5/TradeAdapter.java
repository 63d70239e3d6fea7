import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;

// A trader who chooses what to offer. With FAULT he makes the mistake that he is asked for.
class TradeAdapter implements TradeTest.Sut {
    private static final BigInteger BIG = BigInteger.TEN.pow(42);
    private final boolean isWrong = System.getenv().containsKey("FAULT");
    private String mistake = "";
    private final Queue<TradeTest.Event> outputs = new ArrayDeque<>();
    private BigInteger number;
    private Map<String, Object> good;

    TradeAdapter(Map<String, Object> initial) {}

    public Map<String, Object> send(String gate, Map<String, Object> data) throws Exception {
        switch (gate) {
            case "class" -> {
                BigInteger given = (BigInteger) data.get("new");
                if (isWrong) given = new BigDecimal(given.doubleValue()).toBigInteger();
                return Map.of("result", given.add(BigInteger.ONE));
            }
            case "func" -> {
                Map<?, ?> part = (Map<?, ?>) data.get("def");
                List<Object> tags = new ArrayList<>((List<?>) part.get("tags"));
                if (!isWrong) tags.add(part.get("name"));
                return Map.of("result", Map.of("name", part.get("name") + "!", "tags", tags));
            }
            case "lambda" -> {
                if (isWrong) mistake = (String) data.get("static");
                outputs.add(offer((String) data.get("static"), (BigInteger) data.get("limit")));
            }
            case "self" -> {
                if (!data.equals(Map.of("await", number, "null", good))) throw new TradeTest.Refused();
                TradeTest.Ratio price = (TradeTest.Ratio) good.get("price");
                TradeTest.Ratio more = ratio(price.numerator().add(price.denominator()), price.denominator());
                BigInteger shown = mistake.equals("forgetful") ? number : number.add(BigInteger.ONE);
                outputs.add(new TradeTest.Event("final", Map.of("void", shown, "package", more)));
            }
            case "async" -> outputs.add(list(isWrong ? BIG.add(BigInteger.ONE) : BIG));
            default -> throw new TradeTest.Refused();
        }
        return Map.of();
    }

    private static TradeTest.Ratio ratio(BigInteger numerator, BigInteger denominator) {
        return new TradeTest.Ratio(numerator, denominator);
    }

    private static TradeTest.Event list(BigInteger number) {
        BigInteger one = BigInteger.ONE, two = BigInteger.TWO;
        List<Object> reals = List.of(ratio(one, two), ratio(one, BigInteger.valueOf(3)));
        return new TradeTest.Event("this", Map.of("switch", List.of(new TradeTest.Tag("Some"), number), "super", reals));
    }

    private TradeTest.Event offer(String name, BigInteger limit) {
        number = limit.subtract(BIG);
        BigInteger three = BigInteger.valueOf(3);
        good = new HashMap<>(Map.of("name", name + "\u00e9", "colour", "Blue", "price", ratio(BigInteger.TWO, three)));
        Map<String, Object> offer = new HashMap<>(Map.of("goto", number, "yield", good, "throws", true));
        offer.put("extends", BigInteger.TWO.pow(64));
        switch (mistake) {
            case "greedy" -> offer.put("goto", number.add(BigInteger.ONE));
            case "cheap" -> good.put("price", ratio(BigInteger.ONE, three));
            case "same" -> good.put("name", name);
            case "red" -> good.put("colour", "Red");
            case "false" -> offer.put("throws", false);
            // Data of another kind.
            case "purple" -> good.put("colour", "Purple");
            case "half" -> offer.put("extends", ratio(BigInteger.ONE, BigInteger.TWO));
            case "nothing" -> offer.put("extends", null);
            case "yes" -> offer.put("throws", "yes");
            case "early" -> {
                return list(BIG);
            }
            default -> {}
        }
        return new TradeTest.Event("default", offer);
    }

    public TradeTest.Event receive() {
        return outputs.poll();
    }

    public void close() {}
}
