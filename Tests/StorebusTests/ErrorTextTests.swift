import StoreModels
import Testing

@testable import Storebus

@Suite struct ErrorTextTests {
    @Test func `an error is a sentence, its code, and what to do next`() {
        let error = CLIError(
            CLIErrorCode(.productNotFound), "product 'pro.month' is not in com.example.app",
            hints: ["did you mean 'pro.monthly'?", "all products: storebus product list"])
        #expect(
            error.text == """
                error: product 'pro.month' is not in com.example.app                          [productNotFound]
                  did you mean 'pro.monthly'?      all products: storebus product list

                """)
    }

    @Test func `problems of a refused catalogue stand one a line, at most ten`() {
        let problems = (0..<12).map { index -> JSONValue in
            .object(["path": .string("$.products[\(index)]"), "reason": "is wrong"])
        }
        let error = CLIError(
            CLIErrorCode(.catalogInvalid), "App.storekit: 12 problems", hints: ["nothing was imported"],
            details: ["problems": .array(problems)])
        let lines = error.text.split(separator: "\n")
        #expect(lines.count == 13)
        #expect(lines[1] == "  $.products[0]: is wrong")
        #expect(lines[11] == "  … and 2 more")
    }

    @Test func `the JSON form is a superset of the words`() throws {
        let error = CLIError(
            CLIErrorCode(.serviceUnavailable), "catalog is away", hints: ["try again", "storebus status"],
            traceId: "4bf92f35", retryable: true, details: ["service": "catalog"])
        let body = try #require(try StrictJSON.parse(Array(error.json.utf8))["error"])
        #expect(body["message"] == "catalog is away")
        #expect(body["hint"] == "try again; storebus status")
        #expect(body["trace_id"] == "4bf92f35")
        #expect(body["retryable"] == true)
        #expect(body["details"]?["service"] == "catalog")
    }

    @Test(arguments: [
        (StoreErrorCode.catalogInvalid, CLIExit.badInput), (.unauthenticated, .notAllowed),
        (.serviceUnavailable, .temporary), (.outcomeUnknown, .temporary), (.requestInvalid, .usage),
        (.transactionNotFinishable, .refused), (.internal, .bug), ("aCodeOfTheFuture", .refused),
    ])
    func `a code of the store has its exit status`(code: StoreErrorCode, status: CLIExit) {
        #expect(CLIErrorCode(code).status == status)
        #expect(CLIErrorCode(code).name == code.name)
    }

    @Test(arguments: [
        ("pro.month", "pro.monthly"), ("hidden_beaches", "hidden-beaches"), ("PRO.MONTHLY", "pro.monthly"),
        ("por.monthly", "pro.monthly"), ("hot", "hot-spots"),
    ])
    func `a near identifier is suggested`(text: String, meant: String) {
        #expect(Suggestion.nearest(to: text, among: ["hidden-beaches", "hot-spots", "pro.monthly"]) == meant)
    }

    @Test(arguments: ["", "x", "completely different", "pro.monthly"])
    func `nothing is suggested for what is far, empty or right`(text: String) {
        #expect(Suggestion.nearest(to: text, among: ["pro.monthly"]) == nil)
    }
}
