
    // What tests need of a system.
    interface Sut extends AutoCloseable {
        Map<String, Object> step(Map<String, Object> inputs) throws Exception;
    }

    static Map<String, Object> tick(Sut sut, int step, Map<String, Object> inputs, Map<String, Object> planned, Rules rules) throws Exception {
        Map<String, Object> seen = new LinkedHashMap<>();
        try {
            OBSERVED.get("outputs").keySet().forEach(name -> seen.put(name, null));
            seen.putAll(sut.step(inputs));
        } catch (Refused refused) {
            fail("step " + step + ": expected " + shown("inputs", inputs) + " to be taken, and it was refused");
        }
        return judge(step, "on " + shown("inputs", inputs) + " ", "outputs", planned, rules, "outputs", seen);
    }

    static void refuse(Sut sut, int step, Map<String, Object> inputs, Rules rules) throws Exception {
        attempt(step, shown("inputs", inputs), () -> sut.step(inputs), rules);
    }
