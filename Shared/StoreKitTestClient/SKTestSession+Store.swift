internal import StoreHTTP
internal import StoreModels

// What Apple's class does not have.
extension SKTestSession {
    /// The isolated store of the session.
    public struct Store: Hashable, Sendable {
        /// The store's name, `t-` and a number, for `storebus --store`.
        public let name: String
        /// Where clients of the store send requests.
        public let url: URL
        /// The app's bundle identifier.
        public let bundleId: String
        /// A key for the operator's paths of this store.
        public let adminKey: String
        /// The `iss` of the App Store Server API's tokens.
        public let issuerId: String
        /// Their `kid`.
        public let keyId: String
        /// The key that signs them, PEM.
        public let privateKey: String
        /// The root of the store's signed data, DER.
        public let rootCertificate: Data
    }

    /// The isolated store of the session.
    public var store: Store {
        let made = testStore.made
        return Store(
            name: made.store, url: testStore.address, bundleId: made.bundleId, adminKey: made.adminKey,
            issuerId: made.issuerId, keyId: made.keyId, privateKey: made.privateKey,
            rootCertificate: Data(base64Encoded: made.rootCertificate) ?? Data())
    }

    /// The seed of the store's identifiers.
    public var seed: Int64 { testStore.made.seed }

    /// The store's clock. It runs with the time of this machine until it is moved. ``resetToDefaultState()`` sets it
    /// back.
    public var clock: Clock { Clock(session: self) }

    /// The clock from which the store takes every date.
    public struct Clock: Sendable {
        let session: SKTestSession

        /// Returns the time.
        /// - Throws: ``SKTestError``
        public func now() throws -> Date {
            let state = try session.perform(.serviceUnavailable) {
                try session.testStore.client.call(ClockRoutes.get, session.app)
            }
            return state.now.date
        }

        /// Sets the time. Events that fall due happen soon after.
        /// - Throws: ``SKTestError``
        public func set(_ now: Date) throws { try put(ClockSetting(now: Timestamp(now))) }

        /// Stops the clock. Only ``set(_:)`` and ``advance(by:)`` move it then.
        /// - Throws: ``SKTestError``
        public func freeze() throws { try put(ClockSetting(frozen: true)) }

        /// Lets the clock run.
        /// - Throws: ``SKTestError``
        public func resume() throws { try put(ClockSetting(frozen: false)) }

        /// Moves the clock, and waits until renewals and expiries on the way have happened, at most a minute.
        /// - Throws: ``SKTestError``
        public func advance(by duration: Duration) throws {
            try session.perform(.serviceUnavailable) {
                let client = session.testStore.client
                session.testStore.clockIsMoved.withLock { $0 = true }
                let now = try client.call(ClockRoutes.get, session.app).now
                let end = now.date.addingTimeInterval(duration / .seconds(1))
                var move = try client.call(
                    ClockRoutes.advance, session.app, body: ClockMove(to: Timestamp(end)),
                    key: UUID().uuidString.lowercased())
                let last = Date() + 60
                while !move.advance.isFinished {
                    guard Date() < last else {
                        throw SKTestError(
                            .serviceUnavailable,
                            "the clock is still on its way to \(Timestamp(end)): a service of the store is away")
                    }
                    usleep(20_000)
                    move = try client.call(
                        ClockRoutes.progress,
                        session.app.merging([.id: move.advance.advanceIdentifier]) { $1 })
                }
            }
            ClientUnderTest.catchUp()
        }

        private func put(_ setting: ClockSetting) throws {
            try session.perform(.serviceUnavailable) { try session.moveClock(setting) }
            ClientUnderTest.catchUp()
        }
    }

    /// Taps Buy on a product in the App Store, as the link `itms-services://?action=purchaseIntent&…` does. The
    /// product need not be promoted. `PurchaseIntent.intents` has the purchase, or the observer is asked.
    /// - Throws: ``SKTestError``
    public func tapBuyInAppStore(productIdentifier: String) async throws {
        do {
            try await ClientUnderTest.open(
                PurchaseIntentURL(bundleId: testStore.made.bundleId, productIdentifier: productIdentifier))
        } catch {
            throw SKTestError(cause: error, missing: .invalidProductIdentifier)
        }
    }

    /// Signs a promotional offer as the app's server does, with the store's key.
    /// - Returns: The JWS for `Product.PurchaseOption.promotionalOffer(_:compactJWS:)`, good for one purchase.
    /// - Throws: ``SKTestError``
    public func signPromotionalOffer(_ offerID: String, productIdentifier: String) throws -> String {
        let made = testStore.made
        let offer = OfferToSign(
            iss: made.issuerId, bid: made.bundleId, productId: productIdentifier, offerIdentifier: offerID)
        guard let jws = offer.signed(keyID: made.keyId, privateKey: made.privateKey) else {
            throw SKTestError(.serviceUnavailable, "the store's key cannot be read")
        }
        return jws
    }

    /// The app in the store's paths.
    var app: [PathParameter: String] { [.bundleId: testStore.made.bundleId] }
}
