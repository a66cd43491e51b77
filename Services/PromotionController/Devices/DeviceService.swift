import BusService
import Persistence
import StoreModels

/// Handles `device.…` and `installation.…`: devices, and the apps on them.
struct DeviceService: Sendable {
    /// Maximum number of devices in one page.
    static let pageMax = 500
    /// The feedback of intents that the store cancels with their device.
    static let removalFeedback = "the device was deleted"

    let database: any SQLDatabase
    let times: AppTimes

    /// Records a session of the app and removes prompts to buy it.
    ///
    /// The app is on the device now.
    /// - Throws: `promotionUnsupported` for `PurchaseIntent` on systems without it (M59). Then nothing is recorded.
    func launched(_ launch: DeviceLaunch) async throws -> Empty {
        try DeviceRules.check(launch.installation)
        if launch.promotedPurchases == .purchaseIntent,
            let reason = PromotionSupport.purchaseIntentUnsupported(
                platform: launch.platform, osVersion: launch.osVersion)
        {
            throw StoreError(.promotionUnsupported, reason)
        }
        let wall = times.wall()
        try await database.write { transaction in
            try await DeviceRepository.put(
                launch.installation.device, platform: launch.platform, osVersion: launch.osVersion, seenAt: wall,
                in: transaction)
            try await InstallationRepository.launch(launch, at: wall, in: transaction)
            try await AppPromptRepository.removeAll(of: launch.installation, in: transaction)
        }
        return Empty()
    }

    /// Creates or updates a device.
    /// - Throws: `requestInvalid` for a version that cannot be read.
    func put(_ request: PutDeviceRequest) async throws -> Device {
        try StoreError.checkIdentifier(request.device.id, .device, "deviceId")
        try DeviceRules.check(version: request.osVersion, at: "$.osVersion")
        let wall = times.wall()
        return try await database.write { transaction in
            try await DeviceRepository.put(
                request.device, platform: request.platform, osVersion: request.osVersion, seenAt: wall,
                in: transaction)
            return try await device(request.device, in: transaction)
        }
    }

    /// Reads a device and its apps.
    /// - Throws: `notFound`.
    func get(_ named: ScopedIdentifier) async throws -> Device {
        try await database.read { try await device(named, in: $0) }
    }

    /// Lists devices of a scope by identifier.
    /// - Throws: `requestInvalid`.
    func list(_ request: PageRequest) async throws -> DevicesPage {
        try ReplyBudget.checkLimit(request.limit, max: Self.pageMax)
        let devices = try await database.read { reader in
            var devices: [Device] = []
            let rows = try await DeviceRepository.list(request, limit: request.limit + 1, in: reader)
            for row in rows { devices.append(try await device(row, in: request.scope, reader)) }
            return devices
        }
        let page = try ReplyBudget.fitting(Array(devices.prefix(request.limit)))
        return DevicesPage(devices: page, after: page.count == devices.count ? nil : page.last?.deviceId)
    }

    /// Deletes the device with its apps, and cancels its open intents.
    func delete(_ device: ScopedIdentifier) async throws -> Empty {
        let now = StorePurchaseIntent.Life.Now(wall: times.wall(), business: .earliest)
        try await database.write { transaction in
            guard try await DeviceRepository.find(device, in: transaction) != nil else { return }
            _ = try await DeviceRepository.lock(device, in: transaction)
            let commit = IntentTransaction(transaction: transaction, now: now)
            for intent in try await IntentRepository.lockOpen(on: device, in: transaction) {
                _ = try await commit.apply(.decided(.cancel, feedback: Self.removalFeedback), to: intent)
            }
            try await AppPromptRepository.removeAll(on: device, in: transaction)
            try await InstallationRepository.removeAll(on: device, in: transaction)
            try await DeviceRepository.remove(device, in: transaction)
        }
        return Empty()
    }

    /// Installs the app or another version of it, without a launch.
    /// - Throws: `notFound` for an unknown device, or `requestInvalid` for a version that cannot be read.
    func putInstallation(_ request: PutInstallationRequest) async throws -> Device {
        try DeviceRules.check(InstallationReference(bundleId: request.bundleId, deviceId: request.deviceId))
        try DeviceRules.check(version: request.version, at: "$.version")
        return try await database.write { transaction in
            let installation = InstallationReference(bundleId: request.bundleId, deviceId: request.deviceId)
            let device = try await DeviceRepository.lock(installation.device, in: transaction)
            try check(request.promotedPurchases, on: device)
            try await InstallationRepository.install(
                installation, version: request.version, promotedPurchases: request.promotedPurchases, in: transaction)
            try await AppPromptRepository.removeAll(of: installation, in: transaction)
            return try await self.device(device, in: installation.device.scope, transaction)
        }
    }

    /// Deletes the app. Its overrides are deleted (M96), and its intents wait for the next first launch (I6).
    func deleteInstallation(_ installation: InstallationReference) async throws -> Empty {
        let now = StorePurchaseIntent.Life.Now(wall: times.wall(), business: .earliest)
        try await database.write { transaction in
            guard try await DeviceRepository.find(installation.device, in: transaction) != nil else { return }
            _ = try await DeviceRepository.lock(installation.device, in: transaction)
            let commit = IntentTransaction(transaction: transaction, now: now)
            for intent in try await IntentRepository.lockOpen(of: installation, in: transaction) {
                _ = try await commit.apply(.withdrawn, to: try await commit.settle(intent))
            }
            try await InstallationRepository.remove(installation, in: transaction)
        }
        return Empty()
    }

    private func check(
        _ handler: DeviceLaunch.PromotedPurchases?, on device: StoredDevice
    ) throws(StoreError) {
        guard handler == .purchaseIntent,
            let reason = PromotionSupport.purchaseIntentUnsupported(
                platform: device.platform, osVersion: device.osVersion)
        else { return }
        throw StoreError(.promotionUnsupported, reason)
    }

    private func device(_ named: ScopedIdentifier, in reader: SQLReader) async throws -> Device {
        guard let row = try await DeviceRepository.find(named, in: reader) else {
            throw DeviceRepository.unknown(named)
        }
        return try await device(row, in: named.scope, reader)
    }

    private func device(_ row: StoredDevice, in scope: IsolationScope, _ reader: SQLReader) async throws -> Device {
        Device(
            deviceId: row.deviceId, platform: row.platform, osVersion: row.osVersion,
            apps: try await InstallationRepository.list(
                on: ScopedIdentifier(row.deviceId, in: scope), in: reader
            ).map(\.app))
    }
}

extension DeviceLaunch {
    var installation: InstallationReference { InstallationReference(bundleId: bundleId, deviceId: deviceId) }
}
