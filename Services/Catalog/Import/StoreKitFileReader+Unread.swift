import StoreModels

/// Records notes about a file's content without effect.
extension StoreKitFileReader {
    /// Notes unknown members. A probable misspelling is noted separately, because the operator expects its effect.
    /// Other members are noted once for all paths of their kind.
    mutating func noteUnread(_ node: JSONNode, _ vocabulary: FileVocabulary) {
        let names = (node.value?.objectValue ?? [:]).keys.filter { !vocabulary.knows($0) }
        for name in names.sorted() {
            let member = node.member(name)
            if let meant = Misspelling.correction(of: name, among: vocabulary.words) {
                findings.note("\(member.path) is unknown and has no effect; did you mean \(meant)?")
            } else if !isBlank(member.value ?? .null) {
                unread.add(member.path)
            }
        }
    }

    /// Whether a value is empty: an empty text, list or object, or a language without a text.
    private func isBlank(_ value: JSONValue) -> Bool {
        switch value {
        case .null: true
        case .string(let text): text.isEmpty
        case .array(let values): values.allSatisfy(isBlank)
        case .object(let members): members.allSatisfy { $0.key == "locale" || isBlank($0.value) }
        default: false
        }
    }

    /// Notes `subscriptionBundleGroups` and `subscriptionSuiteGroups` of version 6. Their products are subscriptions to
    /// several subscriptions together. StoreKit 1 has no type for them, and SKProductsRequest does not find them.
    mutating func noteUnsoldGroups(_ root: JSONNode) {
        for (name, what) in [("subscriptionBundleGroups", "bundle"), ("subscriptionSuiteGroups", "suite")] {
            let list = root.member(name)
            guard let groups = list.value?.arrayValue, !groups.isEmpty else {
                if !isBlank(list.value ?? .null) { unread.add(list.path) }
                continue
            }
            for (index, value) in groups.enumerated() {
                let group = JSONNode(path: "\(list.path)[\(index)]", value: value)
                noteUnsold(group, what)
            }
        }
    }

    private mutating func noteUnsold(_ group: JSONNode, _ what: String) {
        let subscriptions = group.member("subscriptions").value?.arrayValue ?? []
        guard !subscriptions.isEmpty else {
            return findings.note("\(group.path) has no effect: it is a \(what) without subscriptions.")
        }
        for (index, value) in subscriptions.enumerated() {
            let node = JSONNode(path: "\(group.member("subscriptions").path)[\(index)]", value: value)
            let name = value["productID"]?.stringValue.map { " '\($0.prefix(Self.identifierCharactersMax))'" } ?? ""
            findings.note(
                "\(node.path)\(name) is not sold: it is a \(what) of subscriptions, "
                    + "which StoreKit 1 has no product for."
            )
        }
    }
}

/// The members without effect, by their path without indexes, in the order they were read.
struct UnreadMembers: Sendable {
    private var order: [String] = []
    private var paths: [String: (first: String, count: Int)] = [:]

    mutating func add(_ path: String) {
        let shape = Self.shape(path)
        if paths[shape] == nil { order.append(shape) }
        paths[shape, default: (path, 0)].count += 1
    }

    /// `$.products[0].adoptingMetadata is kept and has no effect, as in 7 other paths.`
    var notes: [String] {
        order.compactMap { shape in
            guard let (first, count) = paths[shape] else { return nil }
            let others = count == 1 ? "" : ", as in \(count - 1) other place\(count == 2 ? "" : "s")"
            return "\(first) is kept and has no effect\(others)."
        }
    }

    private static func shape(_ path: String) -> String {
        var isIndex = false
        return String(
            path.filter { letter in
                if letter == "]" { isIndex = false }
                defer { if letter == "[" { isIndex = true } }
                return !isIndex
            })
    }
}
