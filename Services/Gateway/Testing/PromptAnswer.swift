import StoreHTTP
import StoreModels

extension PromptAnswer {
    /// - Throws: `requestInvalid`.
    func validate() throws(StoreError) {
        guard error == nil || answer == .decline else { throw .invalid("$.error", "goes with decline only") }
    }
}
