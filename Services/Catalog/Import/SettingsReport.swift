import StoreModels

/// What became of a file's `settings`, in the order of their names.
struct SettingsReport: Hashable, Sendable {
    /// Took force: `_locale` is the language of texts where a storefront's own is missing.
    let applied: [String]
    /// Kept in the file, without effect so far.
    let ignored: [String]
    let defaultLocale: LocaleName?

    init(_ place: JSONPlace, _ findings: inout ImportFindings) {
        guard !place.isAbsent, findings.isObject(place) else {
            (applied, ignored, defaultLocale) = ([], [], nil)
            return
        }
        defaultLocale = place.member("_locale").value?.stringValue.flatMap(LocaleName.init)
        let names = (place.value?.objectValue ?? [:]).keys.sorted()
        let hasLocale = defaultLocale != nil
        applied = names.filter { $0 == "_locale" && hasLocale }
        ignored = names.filter { $0 != "_locale" || !hasLocale }
    }
}
