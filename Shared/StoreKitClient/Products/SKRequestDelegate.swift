/// Hears how a request ended: by one of the two, and by that one only once. Called on the queue's callback queue
/// (``SKPaymentQueue``).
///
/// Both may be left out. What a class leaves out its subclasses cannot add, for Swift has no optional methods without
/// Objective-C: declare it in the class that conforms, and override it.
public protocol SKRequestDelegate: NSObjectProtocol {
    func requestDidFinish(_ request: SKRequest)
    /// - Parameter error: A `URLError` when the store could not be reached, an ``SKError`` when it refused.
    func request(_ request: SKRequest, didFailWithError error: any Error)
}

extension SKRequestDelegate {
    public func requestDidFinish(_ request: SKRequest) {}
    public func request(_ request: SKRequest, didFailWithError error: any Error) {}
}
