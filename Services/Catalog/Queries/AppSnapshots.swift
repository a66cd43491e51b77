import EventLoop
import StoreModels

/// The snapshots of all apps, by bundle identifier.
final class AppSnapshots: Sendable {
    private struct Entry {
        /// The version of the catalogue that introduced the file.
        var fileVersion: Int64
        /// The app at the catalogue's version.
        var snapshot: AppSnapshot

        var catalogVersion: Int64 { snapshot.app.catalogVersion }
        var settingsRevision: Int64 { snapshot.settingsRevision }
    }

    private let entries = Locked<[ExactText: Entry]>([:])

    func snapshot(of bundleId: String) -> AppSnapshot? { entries.withLock { $0[bundleId]?.snapshot } }

    /// Drops an app that another process has removed, unless memory has another state of it by now.
    func forget(_ known: AppSnapshot) {
        entries.withLock { entries in
            if entries[known.app.bundleId]?.snapshot === known { entries[known.app.bundleId] = nil }
        }
    }

    var snapshots: [ExactText: AppSnapshot] { entries.withLock { $0.mapValues(\.snapshot) } }

    var apps: [App] { entries.withLock { $0.values.map(\.snapshot.app) } }

    /// Returns the apps that have a product of an identifier, by bundle identifier.
    func owners(of productIdentifier: String) -> [String] {
        let snapshots = entries.withLock { $0.values.map(\.snapshot) }
        return snapshots.filter {
            $0.index.position(of: productIdentifier) != nil && IsolatedApp($0.app.bundleId) == nil
        }
        .map(\.app.bundleId).sorted()
    }

    var unreadableApps: [String] {
        entries.withLock { $0.values.map(\.snapshot).filter(\.catalog.isUnreadable).map(\.app.bundleId) }
    }

    /// Returns a product of the file in force, for sale or not.
    /// - Throws: `notFound` for an unknown app, `productNotFound`.
    func product(_ productIdentifier: String, of bundleId: String) throws(StoreError) -> CatalogProduct {
        guard let snapshot = snapshot(of: bundleId) else { throw CatalogStore.unknownApp(bundleId) }
        guard let product = snapshot.product(productIdentifier) else {
            throw StoreError(
                .productNotFound, "the catalogue of \(bundleId) has no product '\(productIdentifier.prefix(100))'")
        }
        return product
    }

    /// Returns the versions of an app. They are zeros for an unknown one.
    func version(of bundleId: String) -> AppVersion {
        entries.withLock { entries in
            let entry = entries[bundleId]
            return AppVersion(
                catalogVersion: entry?.catalogVersion ?? 0, settingsRevision: entry?.settingsRevision ?? 0)
        }
    }

    /// Returns the version that introduced the app's file, if the app is in memory.
    func fileVersion(of bundleId: String) -> Int64? { entries.withLock { $0[bundleId]?.fileVersion } }

    /// Returns the version of the file in memory, and the ranges of its private keys.
    func file(of bundleId: String) -> (version: Int64, secrets: [Range<Int>])? {
        entries.withLock { entries in entries[bundleId].map { ($0.fileVersion, $0.snapshot.catalog.secrets) } }
    }

    /// Whether the database has a later state of the app.
    func isBehind(_ head: AppRepository.Head) -> Bool {
        entries.withLock { entries in
            guard let entry = entries[head.bundleId] else { return true }
            return entry.settingsRevision < head.settingsRevision || entry.catalogVersion < head.catalogVersion
        }
    }

    /// Installs an app from the database, unless memory has a later state of it.
    ///
    /// - Parameter catalog: Nil when memory has the file already, or the app has no file.
    func install(_ stored: StoredApp, catalog: Catalog?) {
        entries.withLock { entries in
            let current = entries[stored.row.app.bundleId]
            guard stored.row.app.catalogVersion >= current?.catalogVersion ?? 0 else { return }
            // Without a file, memory may have that of a deleted app of the same name.
            let known = current?.fileVersion == stored.fileVersion ? current?.snapshot.index : nil
            let index = catalog.map(CatalogIndex.init) ?? known ?? CatalogIndex(.empty)
            Self.put(
                stored.row, index, stored.contents, stored.promotions, fileVersion: stored.fileVersion,
                into: &entries)
        }
    }

    /// Installs committed settings.
    /// - Returns: False when the app is not in memory yet.
    func update(_ row: AppRow) -> Bool {
        entries.withLock { entries in
            guard let current = entries[row.app.bundleId] else { return false }
            var app = row.app
            app.catalogVersion = current.catalogVersion
            Self.put(
                AppRow(app: app, settingsRevision: row.settingsRevision), current.snapshot.index,
                current.snapshot.contents, current.snapshot.promotions, fileVersion: current.fileVersion,
                into: &entries)
            return true
        }
    }

    /// Installs a committed file, as the version after the one in memory.
    /// - Returns: False when memory lacks earlier versions. Then the caller loads the app.
    func advance(_ row: AppRow, to catalog: Catalog) -> Bool {
        entries.withLock { entries in
            let current = entries[row.app.bundleId]
            let (known, version) = (current?.catalogVersion ?? 0, row.app.catalogVersion)
            guard version > known else { return true }
            guard version == known + 1 else { return false }
            Self.put(
                row, CatalogIndex(catalog), current?.snapshot.contents ?? StoredContents(),
                current?.snapshot.promotions ?? StoredPromotions(), fileVersion: version, into: &entries)
            return true
        }
    }

    /// Replaces an entry. The later settings stay, in any order of commits.
    private static func put(
        _ row: AppRow, _ index: CatalogIndex, _ contents: StoredContents, _ promotions: StoredPromotions,
        fileVersion: Int64, into entries: inout [ExactText: Entry]
    ) {
        var (app, revision) = (row.app, row.settingsRevision)
        if let current = entries[app.bundleId], current.settingsRevision > revision {
            (app.settings, revision) = (current.snapshot.app.settings, current.settingsRevision)
        }
        app.testerDefaults = defaults(index.catalog, app.settings)
        app.timeRate = index.catalog.timeRate
        app.subscriptionOfferKeys = index.catalog.offerKeys.isEmpty ? nil : index.catalog.offerKeys
        entries[app.bundleId] = Entry(
            fileVersion: fileVersion,
            snapshot: AppSnapshot(
                app: app, settingsRevision: revision, index: index, contents: contents, promotions: promotions))
    }

    /// Returns the testers' defaults, in which the operator's settings override those of the file.
    private static func defaults(_ catalog: Catalog, _ settings: AppSettings) -> TesterSettings? {
        guard let rate = settings.subscriptionRenewalRate else { return catalog.testerDefaults }
        return TesterSettings(subscriptionRenewalRate: rate).over(catalog.testerDefaults)
    }
}

/// An app with its catalogue in force, in memory. A commit replaces the whole snapshot, so a request sees one version.
final class AppSnapshot: Sendable {
    let app: App
    /// As ``AppVersion/settingsRevision``.
    let settingsRevision: Int64
    let index: CatalogIndex
    let contents: StoredContents
    let promotions: StoredPromotions
    /// The positions of products with a promotional image, in catalogue order.
    let illustrated: [Int]

    init(
        app: App, settingsRevision: Int64, index: CatalogIndex, contents: StoredContents, promotions: StoredPromotions
    ) {
        self.app = app
        self.settingsRevision = settingsRevision
        self.index = index
        self.contents = contents
        self.promotions = promotions
        illustrated = promotions.illustrated.compactMap(index.position).sorted()
    }

    var catalog: Catalog { index.catalog }

    func product(_ identifier: String) -> CatalogProduct? {
        index.position(of: identifier).map { catalog.products[$0] }
    }

    /// Returns a similar product identifier, if the app has one. It differs in case, or has a prefix
    /// (`com.example.app.pro.monthly` for `pro.monthly`).
    func similar(to identifier: String) -> String? {
        let wanted = identifier.lowercased()
        return catalog.products.lazy.map(\.productIdentifier).first {
            let candidate = $0.lowercased()
            return candidate == wanted || candidate.hasSuffix(".\(wanted)")
        }
    }
}

/// A catalogue with derived data: positions by identifier, and its products in storefronts. It does not depend on
/// settings, content and promotions.
final class CatalogIndex: Sendable {
    /// Maximum number of cached storefronts and languages. Another one replaces the oldest.
    private static let presentedMax = 8

    let catalog: Catalog
    private let positions: [ExactText: Int]
    private let groups: [ExactText: [String]]
    /// The languages of its texts.
    private let languages: [LocaleName]
    private let presented = Locked<[(entry: StorefrontEntry, catalog: PresentedCatalog)]>([])

    init(_ catalog: Catalog) {
        self.catalog = catalog
        positions = Dictionary(
            uniqueKeysWithValues: catalog.products.enumerated().map {
                (ExactText($0.element.productIdentifier), $0.offset)
            })
        groups = Dictionary(
            catalog.products.compactMap { product in
                product.subscription.map { (ExactText($0.groupIdentifier), [product.productIdentifier]) }
            }, uniquingKeysWith: +)
        languages = catalog.products.reduce(into: []) { languages, product in
            for text in product.localizations + (product.subscription?.groupLocalizations ?? [])
            where !languages.contains(text.locale) {
                languages.append(text.locale)
            }
        }
    }

    /// Returns the storefront with the catalogue's language that is closest to a preferred one, if it has one. So a
    /// storefront is presented in as many languages as the catalogue has.
    func entry(_ entry: StorefrontEntry, preferring wanted: LocaleName) -> StorefrontEntry {
        let closest = languages.map { ($0, $0.closeness(to: wanted)) }.filter { $0.1 > 0 }.max {
            ($0.1, $1.0.description) < ($1.1, $0.0.description)
        }
        return closest.map { entry.preferring($0.0) } ?? entry
    }

    /// Returns the product's position in the catalogue, if the app has the product.
    func position(of productIdentifier: String) -> Int? { positions[ExactText(productIdentifier)] }

    /// Returns the products of a subscription group, for sale or not, in the catalogue's order.
    func products(ofGroup group: String) -> [String] { groups[ExactText(group)] ?? [] }

    /// Returns the catalogue as a storefront shows it.
    func products(in entry: StorefrontEntry) -> PresentedCatalog {
        let isSame = { (other: StorefrontEntry) in
            other.storefront.countryCode == entry.storefront.countryCode && other.languages == entry.languages
        }
        if let ready = presented.withLock({ $0.first { isSame($0.entry) }?.catalog }) { return ready }
        // Created outside of the lock: two requests may create the same one, which is harmless.
        let made = PresentedCatalog(catalog, for: entry)
        presented.withLock { presented in
            presented.removeAll { isSame($0.entry) }
            if presented.count == Self.presentedMax { presented.removeFirst() }
            presented.append((entry, made))
        }
        return made
    }
}

/// An app's catalogue as one storefront shows it, created once and read by every request.
final class PresentedCatalog: Sendable {
    /// The products in the catalogue's order.
    let products: [Product]
    /// An upper bound of each product's size on the wire. A page is cut before it exceeds a message.
    let byteCounts: [Int]
    /// The JSON of products already sent, in the same order. Encoding all of ten thousand products would delay the
    /// first request.
    private let texts: Locked<[RawJSON?]>

    init(_ catalog: Catalog, for entry: StorefrontEntry) {
        let presenter = StorefrontPresenter(entry: entry, defaultLocale: catalog.defaultLocale)
        products = catalog.products.map(presenter.product)
        byteCounts = products.map(Self.byteCountMax)
        texts = Locked(Array(repeating: nil, count: products.count))
    }

    /// Returns the product's JSON.
    func json(at position: Int) throws(StoreError) -> RawJSON {
        if let ready = texts.withLock({ $0[position] }) { return ready }
        do {
            let made = try RawJSON(encoding: products[position])
            texts.withLock { $0[position] = made }
            return made
        } catch {
            throw StoreError(.internal, "a product cannot be written as JSON: \(error)")
        }
    }

    /// Returns an upper bound of a product's size, without encoding it.
    static func byteCountMax(of product: Product) -> Int {
        let texts = [
            product.productIdentifier, product.localizedTitle, product.localizedDescription,
            product.subscriptionGroupIdentifier ?? "", product.subscriptionGroupDisplayName ?? "",
            product.downloadContentVersion,
        ]
        let offers =
            product.discounts + (product.winBackOffers ?? []) + (product.introductoryPrice.map { [$0] } ?? [])
        return 950 + 20 * product.downloadContentLengths.count + 500 * (product.pricingTerms?.count ?? 0)
            + texts.reduce(0) { $0 + JSONSize.most($1) }
            + offers.reduce(0) { $0 + 450 + JSONSize.most($1.identifier ?? "") }
    }
}

/// The size of a text in JSON.
enum JSONSize {
    /// Returns an upper bound of the size. JSON writes quotes and backslashes as two bytes and control characters as up
    /// to six.
    static func most(_ text: String) -> Int {
        text.utf8.reduce(0) { count, byte in
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): count + 2
            case ..<0x20: count + 6
            default: count + 1
            }
        }
    }
}
