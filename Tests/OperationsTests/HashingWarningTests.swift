import Testing

@testable import Operations

/// S24: clients choose keys of dictionaries, so hashes differ from process to process.
@Suite struct HashingWarningTests {
    @Test(
        arguments: [
            (nil, false), ("", false), ("0", false), ("false", false), ("no", false), ("1", true), ("true", true),
            ("YES", true), ("T", true),
        ] as [(String?, Bool)])
    func `hashing without a seed is warned of, by its variable`(value: String?, isWarned: Bool) {
        let warning = ProcessBuilder.hashingWarning(value.map { ["SWIFT_DETERMINISTIC_HASHING": $0] } ?? [:])
        #expect((warning != nil) == isWarned)
        #expect(warning?.contains("SWIFT_DETERMINISTIC_HASHING") ?? true)
    }
}
