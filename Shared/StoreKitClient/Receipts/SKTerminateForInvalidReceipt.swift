/// Ends the process of an app whose receipt is invalid, with status 173 as on macOS.
public func SKTerminateForInvalidReceipt() -> Never {
    FileHandle.standardError.write(Data("StoreKitClient: the receipt is invalid\n".utf8))
    exit(173)
}
