// How tests reach the system: @MODEL@. Written once, never overwritten; it is yours to fill in.
@INTERFACE@import java.util.Map;

// One system, fresh for each test.
class @NAME@Adapter implements @NAME@Test.Sut {
    @NAME@Adapter(Map<String, Object> initial) {
        throw new UnsupportedOperationException("start the system");
    }

    // Gives the system an input, and returns its results by name. Throws @NAME@Test.Refused if it is not taken.
    public Map<String, Object> send(String gate, Map<String, Object> data) throws Exception {
        throw new UnsupportedOperationException();
    }

    // The next output, or null if there is none for so long that there will be none.
    public @NAME@Test.Event receive() throws Exception {
        throw new UnsupportedOperationException();
    }

    public void close() {}
}
