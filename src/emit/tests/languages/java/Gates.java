
    // What tests need of a system.
    interface Sut extends AutoCloseable {
        Map<String, Object> send(String gate, Map<String, Object> data) throws Exception;

        Event receive() throws Exception;
    }

    static Map<String, Object> send(Sut sut, int step, String gate, Map<String, Object> data, Map<String, Object> planned, Rules rules) throws Exception {
        if (!rules.fits) inconclusive("step " + step + ": " + shown(gate, data) + " does not fit what the system chose before");
        Map<String, Object> result = Map.of();
        try {
            result = sut.send(gate, data);
        } catch (Refused refused) {
            if (rules.lenient) inconclusive("step " + step + ": the model may refuse " + shown(gate, data) + " here");
            fail("step " + step + ": expected " + shown(gate, data) + " to be taken, and it was refused");
        }
        return planned.isEmpty() ? planned : judge(step, "", gate, planned, rules, gate, result);
    }

    static Map<String, Object> expect(Sut sut, int step, String gate, Map<String, Object> planned, Rules rules) throws Exception {
        Event actual = sut.receive();
        if (actual == null) {
            if (rules.lenient) inconclusive("step " + step + ": the model may say nothing here");
            fail("step " + step + ": expected " + shown(gate, planned) + rules.says + ", got no output");
        }
        return judge(step, "", gate, planned, rules, actual.gate(), actual.data() == null ? Map.of() : actual.data());
    }

    static void refuse(Sut sut, int step, String gate, Map<String, Object> data, Rules rules) throws Exception {
        attempt(step, shown(gate, data), () -> sut.send(gate, data), rules);
    }
