import ArgumentParser
import StoreModels

/// An `SKError` as a command line names it: `paymentInvalid`, or its number.
enum SKErrorText {
    static func code(_ text: String) -> SKErrorCode? {
        Int(text).flatMap(SKErrorCode.init(rawValue:)) ?? SKErrorCode(name: text)
    }

    static func validate(_ flag: String, _ text: String?) throws {
        guard let text, code(text) == nil else { return }
        let names = SKErrorCode.allCases.map(\.name)
        let near = Suggestion.ending(for: text, among: names)
        throw ValidationError("\(flag) takes an SKError's name or number, not '\(text)'\(near)")
    }
}
