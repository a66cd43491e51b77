import StoreModels

/// What a file says and Storebus does not act on: nothing of it is passed over in silence.
extension StoreKitFileReader {
    /// Notes members that mean nothing at this place: one that is nearly a known one by itself, because it was meant to
    /// have an effect; others once for all places of their kind.
    mutating func noteUnread(_ place: JSONPlace, _ vocabulary: FileVocabulary) {
        let names = (place.value?.objectValue ?? [:]).keys.filter { !vocabulary.knows($0) }
        for name in names.sorted() {
            let member = place.member(name)
            if let meant = Misspelling.correction(of: name, among: vocabulary.words) {
                findings.note("\(member.path) is unknown and has no effect; did you mean \(meant)?")
            } else if !isBlank(member.value ?? .null) {
                unread.add(member.path)
            }
        }
    }

    /// As Xcode writes "nothing here": an empty text, list or object, and a language without a text in it.
    private func isBlank(_ value: JSONValue) -> Bool {
        switch value {
        case .null: true
        case .string(let text): text.isEmpty
        case .array(let values): values.allSatisfy(isBlank)
        case .object(let members): members.allSatisfy { $0.key == "locale" || isBlank($0.value) }
        default: false
        }
    }

    /// `subscriptionBundleGroups` and `subscriptionSuiteGroups` of version 6. Their products are subscriptions to
    /// several subscriptions at once; StoreKit 1 has no type for them, and neither SKProductsRequest finds them.
    mutating func noteUnsoldGroups(_ root: JSONPlace) {
        for (name, what) in [("subscriptionBundleGroups", "bundle"), ("subscriptionSuiteGroups", "suite")] {
            let list = root.member(name)
            guard let groups = list.value?.arrayValue, !groups.isEmpty else {
                if !isBlank(list.value ?? .null) { unread.add(list.path) }
                continue
            }
            for (index, value) in groups.enumerated() {
                let group = JSONPlace(path: "\(list.path)[\(index)]", value: value)
                noteUnsold(group, what)
            }
        }
    }

    private mutating func noteUnsold(_ group: JSONPlace, _ what: String) {
        let subscriptions = group.member("subscriptions").value?.arrayValue ?? []
        guard !subscriptions.isEmpty else {
            return findings.note("\(group.path) has no effect: it is a \(what) without subscriptions.")
        }
        for (index, value) in subscriptions.enumerated() {
            let place = JSONPlace(path: "\(group.member("subscriptions").path)[\(index)]", value: value)
            let name = value["productID"]?.stringValue.map { " '\($0.prefix(Self.identifierCharactersMax))'" } ?? ""
            findings.note(
                "\(place.path)\(name) is not sold: it is a \(what) of subscriptions, which StoreKit 1 has no product for."
            )
        }
    }

    /// `billingPlans` of version 5 and later: paying each period up front is what is sold, for the subscription's own
    /// `displayPrice`.
    mutating func noteBillingPlans(_ subscription: JSONPlace) {
        let list = subscription.member("billingPlans")
        let price = subscription.member("displayPrice").value?.stringValue ?? ""
        for (index, value) in (list.value?.arrayValue ?? []).enumerated() {
            let plan = JSONPlace(path: "\(list.path)[\(index)]", value: value)
            noteUnread(plan, .billingPlan)
            let isEnabled = plan.member("isEnabled").value?.boolValue ?? true
            guard isPaidUpFront(plan) else {
                if isEnabled { noteOtherPlan(plan) }
                continue
            }
            if !isEnabled {
                findings.note("\(plan.member("isEnabled").path) has no effect: \(Self.plan), which is always sold.")
            }
            for name in ["displayPrice", "commitmentDisplayPrice"] {
                noteOtherPrice(plan.member(name), than: price)
            }
        }
    }

    private static let plan = "this is the plan of paying each period up front"

    private mutating func noteOtherPrice(_ place: JSONPlace, than price: String) {
        guard let text = place.value?.stringValue, DecimalAmount(text)?.value != DecimalAmount(price)?.value else {
            return
        }
        findings.note(
            "\(place.path) is \(text.prefix(20)) and has no effect: "
                + "the subscription is sold for its displayPrice, \(price.prefix(20)).")
    }

    /// Whether a plan, or what an offer is for, is paying each period of the subscription up front.
    func isPaidUpFront(_ place: JSONPlace) -> Bool {
        let plan = place.member("billingPlanType")
        return plan.isAbsent || plan.value == .string("BILLED_UPFRONT")
    }

    /// Says that a plan, or an offer for it, is passed over.
    mutating func noteOtherPlan(_ place: JSONPlace) {
        let plan = place.member("billingPlanType").value?.stringValue.map { "'\($0.prefix(40))'" } ?? "another one"
        findings.note(
            "\(place.path) is kept and has no effect: its billing plan is \(plan), "
                + "and a subscription is sold for each period up front.")
    }
}

/// Members without effect, by their place with the indexes left out, in the order they were met.
struct UnreadMembers: Sendable {
    private var order: [String] = []
    private var places: [String: (first: String, count: Int)] = [:]

    mutating func add(_ path: String) {
        let shape = Self.shape(path)
        if places[shape] == nil { order.append(shape) }
        places[shape, default: (path, 0)].count += 1
    }

    /// `$.products[0].adoptingMetadata is kept and has no effect, as in 7 other places.`
    var notes: [String] {
        order.compactMap { shape in
            guard let (first, count) = places[shape] else { return nil }
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
