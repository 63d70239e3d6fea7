// How tests reach the system: @MODEL@. Written once, never overwritten; it is yours to fill in.
@INTERFACE@import java.util.Map;

// One system, fresh for each test.
class @NAME@Adapter implements @NAME@Test.Sut {
    @NAME@Adapter(Map<String, Object> initial) {
        throw new UnsupportedOperationException("start the system");
    }

    // Applies inputs, and returns the outputs of the same step; absent is null. Throws @NAME@Test.Refused if they are refused.
    public Map<String, Object> step(Map<String, Object> inputs) throws Exception {
        throw new UnsupportedOperationException();
    }

    public void close() {}
}
