import StoreHTTP
import StoreModels
import Testing

@Suite struct ContractProblemTests {
    @Test func `a problem is read as it is written`() throws {
        var error = StoreError(.inFlight, "again", retryAfterMs: 200, details: ["path": "$.quantity"])
        error.retryable = true
        let problem = Problem(error, status: 409, title: "Conflict", traceID: "t")
        let bytes = try StoreJSON.encode(problem)
        #expect(Problem(body: bytes) == problem)
        #expect(try StoreJSON.decode(Problem.self, from: bytes) == problem)
        #expect(problem.details == ["path": "$.quantity"])
        #expect(problem.type == "urn:storebus:problem:inFlight")
    }

    @Test func `a member of the wrong kind is missing, a body that is no object is no problem`() throws {
        let problem = try #require(Problem(body: Array(#"{"code":"notFound","retryable":"yes","extra":1}"#.utf8)))
        #expect(problem.code == .notFound)
        #expect(problem.retryable == nil)
        #expect(problem.details == ["extra": 1])
        #expect(Problem(body: Array("[]".utf8)) == nil)
        #expect(Problem(body: Array("<html>".utf8)) == nil)
    }
}
