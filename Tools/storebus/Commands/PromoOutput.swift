import StoreModels

/// The operator's list as `storebus promo list` shows it.
enum PromotionTable {
    static func table(_ setup: PromotionSetup) -> Table {
        Table(
            [
                .right("PLACE"), "PRODUCT", "VISIBLE", .state("PROMOTED"), .state("IMAGE"), "REASON", "WHAT TO DO",
            ], setup.promotions.enumerated()
        ) { index, item in
            [
                "\(index + 1)", item.productIdentifier, item.visible ? "yes" : "hidden", item.promoted ? "yes" : "no",
                item.image?.state.rawValue ?? "-", item.reasons.map(\.rawValue).joined(separator: ", "),
                item.details.joined(separator: " "),
            ]
        }
    }

    /// - Parameter before: The list before a change, or nil without a change.
    static func result(_ setup: PromotionSetup, replacing before: PromotionSetup? = nil) -> CommandResult {
        let items = setup.promotions.enumerated().map { index, item -> JSONValue in
            JSONText.value(item).with(["place": .integer(index + 1), "isPreview": .bool(setup.isPreview)])
        }
        return CommandResult(
            table(setup), items: items, names: setup.promotions.map(\.productIdentifier), next: next(setup),
            notes: notes(setup, before), ifEmpty: "no promotions")
    }

    private static func notes(_ setup: PromotionSetup, _ before: PromotionSetup?) -> [Advice] {
        if setup.isPreview {
            return ["nothing is set up yet: this is a preview, which ends with the first list or image"]
        }
        if before?.isPreview == true {
            return ["the preview is over: from now on a product is promoted once its image is approved"]
        }
        return []
    }

    /// The next command: a remedy for the first product that is not promoted, or else the store page.
    private static func next(_ setup: PromotionSetup) -> Advice {
        let option = AppOptions.flag(setup.bundleId)
        for item in setup.promotions {
            let product = item.productIdentifier
            if item.reasons.contains(.imageWaitingForReview) {
                return "storebus promo image approve \(product)\(option)"
            }
        }
        return "storebus promo page --as alice\(option)"
    }
}

/// Compares the operator's list with an app's overrides on one device.
struct DevicePromotionsReport: Hashable, Sendable {
    let setup: PromotionSetup
    /// Nil for an unknown device.
    let device: Device?
    let installation: InstallationReference

    private struct Row {
        var productIdentifier: String
        /// Position on the page. Nil if hidden.
        var rank: Int?
        var visibility: StorePromotionVisibility
        /// Position in the device's order.
        var orderRank: Int?
        /// Nil for a product that is not on the operator's list.
        var item: PromotionSetup.Item?
    }

    private var app: Device.InstalledApp? { device?.apps.first { $0.bundleId.isExactly(installation.bundleId) } }
    private var overrides: PromotionOverrides { app?.overrides ?? PromotionOverrides() }

    private var unsupported: String? {
        device.flatMap { PromotionSupport.promotionsUnsupported(platform: $0.platform, osVersion: $0.osVersion) }
    }

    /// Lists the visible products in their order, then the hidden ones.
    private var rows: [Row] {
        let overrides = overrides
        let items = Dictionary(exactly: setup.promotions.map { ($0.productIdentifier, $0) })
        let promoted = setup.promotions.filter(\.promoted)
        let shown =
            unsupported == nil
            ? PromotionArrangement(
                promoted: promoted.map(\.productIdentifier),
                hidden: promoted.filter { !$0.visible }.map(\.productIdentifier)
            ).shown(with: overrides) : []
        var seen = Set(exactly: shown)
        let others =
            setup.promotions.map(\.productIdentifier) + overrides.order
            + overrides.visibility.keys.sorted().map(\.text)
        let all = shown + others.filter { seen.insert($0).inserted }
        return all.enumerated().map { index, product in
            Row(
                productIdentifier: product, rank: index < shown.count ? index + 1 : nil,
                visibility: overrides.visibility(of: product),
                orderRank: overrides.order.firstIndex { $0.isExactly(product) }.map { $0 + 1 }, item: items[product])
        }
    }

    var result: CommandResult {
        var table = Table([
            .right("PLACE"), "PRODUCT", .state("SHOWN"), .right("ORDER HERE"), "VISIBILITY HERE", "OPERATOR", "REASON",
        ])
        let rows = rows
        for row in rows {
            table.add([
                row.rank.map(String.init) ?? "-", row.productIdentifier, row.rank == nil ? "no" : "yes",
                row.orderRank.map(String.init) ?? "-", row.visibility.rawValue, Self.operators(row),
                Self.reasons(row).joined(separator: ", "),
            ])
        }
        return CommandResult(
            table, items: rows.map { json($0) }, names: rows.filter { $0.rank != nil }.map(\.productIdentifier),
            next: next, notes: notes, ifEmpty: "no promotions")
    }

    private static func operators(_ row: Row) -> String {
        guard let item = row.item else { return "not listed" }
        return item.visible ? "visible" : "hidden"
    }

    private static func reasons(_ row: Row) -> [String] {
        row.item?.reasons.map(\.rawValue) ?? [PromotionExplanation.Reason.notInPromotions.rawValue]
    }

    private func json(_ row: Row) -> JSONValue {
        var members: [String: JSONValue] = [
            "productIdentifier": .string(row.productIdentifier), "bundleId": .string(installation.bundleId),
            "deviceId": .string(installation.deviceId), "shown": .bool(row.rank != nil),
            "visibility": .string(row.visibility.rawValue), "operator": .string(Self.operators(row)),
            "reasons": JSONText.value(Self.reasons(row)), "place": .null, "orderPlace": .null,
        ]
        if let rank = row.rank { members["place"] = .integer(rank) }
        if let rank = row.orderRank { members["orderPlace"] = .integer(rank) }
        return .object(members)
    }

    private var notes: [Advice] {
        guard device != nil else { return ["unknown device: it shows the operator's list"] }
        if let unsupported { return [Advice(unsupported)] }
        guard let app else { return ["the app is not on this device, so nothing is set here"] }
        let launched: Advice = "the app has never been launched here, so nothing can be set"
        return app.isLaunched ? [] : [launched]
    }

    private var next: Advice {
        let option = AppOptions.flag(installation.bundleId)
        if app?.isLaunched == true { return "storebus promo page --device \(installation.deviceId)\(option)" }
        let account = CustomerOptions.owner(of: installation.deviceId) ?? "alice"
        return "storebus device add \(installation.deviceId) --as \(account)\(option)"
    }
}
