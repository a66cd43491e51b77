import StoreHTTP
import Testing

@testable import Storebus

/// A command does not wait for long at an address where no store ever answered.
@Suite struct StoreContactTests {
    private let start = ContinuousClock.now

    @Test func `a store that never answered is asked again for three seconds`() {
        let contact = StoreContact(isKnown: false)
        #expect(contact.missed(since: start, at: start + .milliseconds(10)))
        #expect(contact.missed(since: start + .seconds(2), at: start + .milliseconds(2_999)))
        #expect(!contact.missed(since: start + .seconds(2), at: start + .seconds(3)))
    }

    @Test func `a first request that takes longer is the only one`() {
        #expect(!StoreContact(isKnown: false).missed(since: start, at: start + .seconds(5)))
    }

    @Test func `a store that has answered, or that a data directory runs, is asked for the command's whole time`() {
        let known = StoreContact(isKnown: true)
        #expect(known.missed(since: start, at: start + .seconds(3_600)))
        let met = StoreContact(isKnown: false)
        #expect(met.missed(since: start, at: start + .seconds(1)))
        met.answered()
        #expect(met.missed(since: start, at: start + .seconds(3_600)))
    }

    @Test func `an error of a request that may still be answered stays as it is`() async {
        let transport = ContactTransport(SilentStore(), StoreContact(isKnown: true))
        let result = await Result.of { () throws(CLIError) in try await transport.send(StoreRequest(.get, "/readyz")) }
        switch result {
        case .failure(let error): #expect(error.retryable)
        case .success: Issue.record("a silent store has answered")
        }
    }

    @Test func `a purchase at an address without a store ends with the remedy, however long it may wait`() async {
        // Nothing listens at port 1.
        let (status, said) = await Recorder.run(
            ["buy", "com.example.pro.monthly", "--as", "alice", "--timeout", "1h"],
            variables: ["STOREBUS_URL": "http://127.0.0.1:1"])
        #expect(status == .unreachable)
        #expect(said.narration.contains("no Storebus at http://127.0.0.1:1 (connection refused)"), "\(said.narration)")
        #expect(said.narration.contains("start one: storebus up"))
    }
}
