import java.math.BigInteger;
import java.util.HashMap;
import java.util.Map;

// A lamp that blinks, as one object. FAULT makes it a wrong one.
class BlinkingAdapter implements BlinkingTest.Sut {
    private final String fault = System.getenv().getOrDefault("FAULT", "");
    private BigInteger interval;
    private boolean isOn;
    // What is on its way: it arrives one step after it was sent.
    private Boolean pulse;
    private BigInteger set;
    private boolean timeout;
    private BigInteger left;
    private Boolean last;

    BlinkingAdapter(Map<String, Object> initial) {}

    public Map<String, Object> step(Map<String, Object> inputs) {
        Boolean pulsed = pulse;
        BigInteger setting = set;
        boolean isOver = timeout;
        pulse = null;
        set = null;
        timeout = false;
        if (interval == null) {
            if (inputs.get("interval") != null) {
                interval = (BigInteger) inputs.get("interval");
                switchTo(true);
            }
        } else if (isOver) {
            switchTo(!isOn);
        }
        // The timer.
        if (left == null) {
            left = setting == null || !fault.equals("slow") ? setting : setting.add(BigInteger.ONE);
        } else if (left.signum() == 0) {
            left = null;
            timeout = true;
        } else if (left.signum() > 0) {
            left = left.subtract(BigInteger.ONE);
        }
        // The lamp shows what was stored before this step.
        Boolean lamp = last != null && fault.equals("dark") ? Boolean.FALSE : last;
        if (pulsed != null) last = pulsed;
        Map<String, Object> outputs = new HashMap<>();
        outputs.put("lamp", lamp);
        return outputs;
    }

    private void switchTo(boolean isOn) {
        this.isOn = isOn;
        pulse = isOn;
        set = interval;
    }

    public void close() {}
}
