import ArgumentParser
import StoreModels

extension IdentifierRule {
    /// - Throws: a sentence for the parser when `text` is there and no such identifier.
    func check(_ flag: String, _ text: String?) throws {
        guard let text, let fault = fault(in: text) else { return }
        throw ValidationError("\(flag) \(fault)")
    }
}
