import StoreHTTP
import StoreModels
import Testing

/// Schemas of values that are not read member by member agree with their decoding.
@Suite struct ValueSchemaTests {
    private static func keyword(_ name: String, of schema: Schema) -> Schema? {
        guard case .members(let members) = schema else { return nil }
        return members.first { $0.0 == name }?.1
    }

    @Test func `the payment sheet's errors are SKError's`() throws {
        let schema = try #require(TypeSchema.of(PaymentSheetAnswer.self))
        guard case .value(let pattern)? = Self.keyword("pattern", of: schema.keywords) else {
            Issue.record("the payment sheet has no pattern")
            return
        }
        let expression = try Regex(pattern.stringValue ?? "")
        for code in SKErrorCode.allCases {
            for text in ["decline:\(code.name)", "decline:\(code.rawValue)"] {
                #expect(text.wholeMatch(of: expression) != nil && PaymentSheetAnswer(text) != nil, "\(text)")
            }
        }
        for text in ["auto", "approve", "cancel", "interactive", "decline"] {
            #expect(text.wholeMatch(of: expression) != nil && PaymentSheetAnswer(text) != nil, "\(text)")
        }
        for text in ["", "Auto", "decline:", "decline:21", "decline:nonsense"] {
            #expect(text.wholeMatch(of: expression) == nil && PaymentSheetAnswer(text) == nil, "\(text)")
        }
    }

    @Test func `the numbers of states are those of Apple's server`() throws {
        let schema = try #require(TypeSchema.of(SubscriptionState.self))
        guard case .members(let numbers)? = Self.keyword("x-enum-values", of: schema.keywords) else {
            Issue.record("the states of subscriptions have no numbers")
            return
        }
        #expect(numbers.map(\.0) == SubscriptionState.allCases.map(\.rawValue))
        for ((_, number), state) in zip(numbers, SubscriptionState.allCases) {
            guard case .value(let number) = number else { continue }
            #expect(number.intValue == state.serverNumber)
        }
    }
}
