/// Hears how a request ended: by one of the two, and by that one only once. Called on the queue's callback queue
/// (``SKPaymentQueue``), so it has to be `Sendable`.
public protocol SKRequestDelegate: AnyObject, Sendable {
    func requestDidFinish(_ request: SKRequest)
    /// - Parameter error: A `URLError` when the store could not be reached, an ``SKError`` when it refused.
    func request(_ request: SKRequest, didFailWithError error: any Error)
}

extension SKRequestDelegate {
    public func requestDidFinish(_ request: SKRequest) {}
    public func request(_ request: SKRequest, didFailWithError error: any Error) {}
}
