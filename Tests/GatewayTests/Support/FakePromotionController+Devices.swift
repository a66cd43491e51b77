import EventLoop
import StoreModels

/// Devices, the apps on them, and what these have set there.
extension FakePromotionController {
    func serveDevices() {
        service.handle(PromotionEndpoints.deviceLaunched) { [self] launch in
            try check()
            launches.append(launch)
            contents.withLock { contents in
                let installation = InstallationReference(bundleId: launch.bundleId, deviceId: launch.deviceId)
                contents.put(installation.device, launch.platform, launch.osVersion)
                contents.install(
                    installation, version: launch.appVersion, promotedPurchases: launch.promotedPurchases,
                    isLaunched: true)
            }
            return Empty()
        }
        service.handle(PromotionEndpoints.putDevice) { [self] request in
            try check()
            return contents.withLock { contents in
                contents.put(request.device, request.platform, request.osVersion)
                return contents.devices[request.device] ?? Sample.device
            }
        }
        service.handle(PromotionEndpoints.getDevice) { [self] in try device($0) }
        service.handle(PromotionEndpoints.listDevices) { [self] request in
            let devices = contents.withLock { $0.devices }.filter { $0.key.scope == request.scope }
                .map(\.value).sorted { $0.deviceId < $1.deviceId }
            let page = Array(devices.filter { $0.deviceId > request.after ?? "" }.prefix(request.limit))
            return DevicesPage(
                devices: page, after: page.last?.deviceId == devices.last?.deviceId ? nil : page.last?.deviceId)
        }
        service.handle(PromotionEndpoints.deleteDevice) { [self] device in
            contents.withLock { $0.devices[device] = nil }
            return Empty()
        }
        service.handle(PromotionEndpoints.putInstallation) { [self] request in
            let installation = InstallationReference(bundleId: request.bundleId, deviceId: request.deviceId)
            _ = try device(installation.device)
            return contents.withLock { contents in
                contents.install(
                    installation, version: request.version, promotedPurchases: request.promotedPurchases,
                    isLaunched: false)
                return contents.devices[installation.device] ?? Sample.device
            }
        }
        service.handle(PromotionEndpoints.deleteInstallation) { [self] request in
            contents.withLock { $0.devices[request.device]?.apps.removeAll { $0.bundleId == request.bundleId } }
            return Empty()
        }
    }

    func serveOverrides() {
        service.handle(PromotionEndpoints.getManyOverrides) { [self] batch in
            try batch.validate()
            await contents.withLock { $0.overridesGate }?.wait()
            return OverridesBatchReply(promotions: try batch.installations.map(promotions))
        }
        service.handle(PromotionEndpoints.putOrder) { [self] request in
            try override(InstallationReference(bundleId: request.bundleId, deviceId: request.deviceId)) {
                $0.order = request.productIdentifiers
            }
        }
        service.handle(PromotionEndpoints.putVisibility) { [self] request in
            try override(InstallationReference(bundleId: request.bundleId, deviceId: request.deviceId)) {
                $0.visibility[request.productIdentifier] = request.visibility == .default ? nil : request.visibility
            }
        }
    }

    private func promotions(_ installation: InstallationReference) throws -> DevicePromotions {
        try check()
        return contents.withLock { contents in
            let app = contents.app(installation)
            return DevicePromotions(
                overrides: app?.overrides ?? PromotionOverrides(), isLaunched: app?.isLaunched ?? false,
                unsupported: contents.unsupported[installation.deviceId],
                isKnown: contents.devices[installation.device] != nil)
        }
    }

    private func override(
        _ installation: InstallationReference, _ change: (inout PromotionOverrides) -> Void
    ) throws -> PromotionOverrides {
        try check()
        return try contents.withLock { contents in
            if let reason = contents.unsupported[installation.deviceId] {
                throw StoreError(.promotionUnsupported, reason)
            }
            guard var app = contents.app(installation), app.isLaunched else {
                throw StoreError(.appNeverLaunched, "the app was never launched there")
            }
            change(&app.overrides)
            contents.devices[installation.device]?.apps.removeAll { $0.bundleId == installation.bundleId }
            contents.devices[installation.device]?.apps.append(app)
            return app.overrides
        }
    }

    private func device(_ named: ScopedIdentifier) throws -> Device {
        try check()
        guard let device = contents.withLock({ $0.devices[named] }) else {
            throw StoreError(.notFound, "no device '\(named.id)'")
        }
        return device
    }
}

extension FakePromotionController.Contents {
    func app(_ installation: InstallationReference) -> Device.InstalledApp? {
        devices[installation.device]?.apps.first { $0.bundleId == installation.bundleId }
    }

    fileprivate mutating func put(
        _ device: ScopedIdentifier, _ platform: DeviceLaunch.Platform, _ osVersion: String
    ) {
        let apps = devices[device]?.apps ?? []
        devices[device] = Device(deviceId: device.id, platform: platform, osVersion: osVersion, apps: apps)
    }

    fileprivate mutating func install(
        _ installation: InstallationReference, version: String,
        promotedPurchases: DeviceLaunch.PromotedPurchases?, isLaunched: Bool
    ) {
        let known = app(installation)
        devices[installation.device]?.apps.removeAll { $0.bundleId == installation.bundleId }
        devices[installation.device]?.apps.append(
            Device.InstalledApp(
                bundleId: installation.bundleId, version: version,
                promotedPurchases: promotedPurchases ?? known?.promotedPurchases,
                isLaunched: isLaunched || known?.isLaunched == true, overrides: known?.overrides ?? .init()))
    }
}

extension InstallationReference {
    /// The device, which the apps of one scope share.
    fileprivate var device: ScopedIdentifier { ScopedIdentifier(deviceId, in: IsolationScope(of: bundleId)) }
}
