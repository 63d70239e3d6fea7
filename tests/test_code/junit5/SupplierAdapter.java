import java.math.BigInteger;
import java.util.ArrayDeque;
import java.util.Map;
import java.util.Queue;

// A supplier that works: it chooses reference numbers and quantities of its own. FAULT makes it a wrong one.
class SupplierAdapter implements SupplierTest.Sut {
    private static long numbers = 4711;
    private final String fault = System.getenv().getOrDefault("FAULT", "");
    private final Queue<SupplierTest.Event> outputs = new ArrayDeque<>();
    private String phase = "idle";
    private BigInteger ref;

    SupplierAdapter(Map<String, Object> initial) {}

    public Map<String, Object> send(String gate, Map<String, Object> data) throws Exception {
        if (gate.equals("rq") && phase.equals("idle")) {
            numbers += 17;
            ref = BigInteger.valueOf(numbers);
            BigInteger asked = (BigInteger) data.get("quant");
            if (asked.signum() == 0) {
                phase = "stuck";
                return Map.of();
            }
            // Never more than half of what was asked for; a wrong one offers all of it.
            BigInteger quant = fault.equals("greedy") ? asked : asked.shiftRight(1);
            outputs.add(new SupplierTest.Event("gq", Map.of("ref", ref, "prod", data.get("prod"), "quant", quant)));
            phase = "quoted";
        } else if (gate.equals("ord") && phase.equals("quoted") && data.get("ref").equals(ref)) {
            BigInteger shown = fault.equals("forgetful") ? ref.add(BigInteger.ONE) : ref;
            String answer = System.getenv().getOrDefault("ANSWER", "confirm");
            outputs.add(new SupplierTest.Event(answer, Map.of("ref", shown)));
            phase = "idle";
        } else {
            throw new SupplierTest.Refused();
        }
        return Map.of();
    }

    public SupplierTest.Event receive() {
        return outputs.poll();
    }

    public void close() {}
}
