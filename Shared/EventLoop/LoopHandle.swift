internal import CLibUV

/// The common part of all handles: C memory that never moves, and closing.
///
/// Between initializer and close callback the loop holds a reference to the object. Everything here and in the
/// subclasses is called on the loop.
package class LoopHandle {
    /// The loop the handle belongs to.
    package let loop: UVLoop
    /// Whether `close()` was called, by the owner or the closing loop. No callback of the owner follows but `onClose`.
    package private(set) var isClosed = false
    /// libuv's struct. Allocated here, freed in the close callback.
    let memory: UnsafeMutablePointer<uv_handle_t>
    /// Called from the close callback, after `didClose`. It is for owners of something that belongs to the handle.
    var afterClose: (() -> Void)?
    private var isRegistered = false

    /// Allocates a struct of `type` and has `initialize` register it with the loop.
    init(
        loop: UVLoop, type: uv_handle_type, operation: @autoclosure () -> String,
        _ initialize: (UnsafeMutablePointer<uv_loop_t>, UnsafeMutableRawPointer) -> CInt
    ) throws(UVError) {
        loop.preconditionIsolated()
        self.loop = loop
        let raw = UnsafeMutableRawPointer.allocate(byteCount: uv_handle_size(type), alignment: 16)
        memory = raw.assumingMemoryBound(to: uv_handle_t.self)
        let result = loop.isRunning && !loop.isClosing ? initialize(loop.uv, raw) : UV_ECANCELED.rawValue
        if result < 0 {
            isClosed = true
            throw UVError(code: result, operation: operation())
        }
        isRegistered = true
        memory.pointee.data = Unmanaged.passRetained(self).toOpaque()
        loop.openHandles += 1
    }

    /// Creates a closed handle, for a loop that takes no more handles.
    init(closedOn loop: UVLoop) {
        self.loop = loop
        memory = UnsafeMutableRawPointer.allocate(byteCount: 1, alignment: 16).assumingMemoryBound(to: uv_handle_t.self)
        isClosed = true
    }

    deinit {
        // Registered memory is freed in the close callback, which always comes before this; libuv never saw the rest.
        if !isRegistered { UnsafeMutableRawPointer(memory).deallocate() }
    }

    /// Ends the handle. Idempotent. The object may be dropped immediately.
    package func close() {
        loop.preconditionIsolated()
        beginClosing()
    }

    /// The struct as the type that `initialize` gave it.
    func pointer<Handle>(as type: Handle.Type) -> UnsafeMutablePointer<Handle> {
        UnsafeMutableRawPointer(memory).assumingMemoryBound(to: type)
    }

    final func beginClosing(by closer: (UnsafeMutablePointer<uv_handle_t>, uv_close_cb) -> Void = { uv_close($0, $1) })
    {
        if isClosed { return }
        isClosed = true
        willClose()
        closer(memory) { LoopHandle.finishClosing($0!) }
    }

    /// Closes the handle, because the loop is closing.
    func loopCloses() { beginClosing() }

    /// Called once when closing begins. User code must not run here, in the middle of the caller's work.
    func willClose() {}

    /// Called once from the close callback. Requests have been called back by now.
    func didClose() {}

    private static func finishClosing(_ memory: UnsafeMutablePointer<uv_handle_t>) {
        let object = Unmanaged<LoopHandle>.fromOpaque(memory.pointee.data).takeRetainedValue()
        object.loop.enterTurn()
        object.loop.openHandles -= 1
        object.didClose()
        let afterClose = object.afterClose
        object.afterClose = nil
        afterClose?()
        UnsafeMutableRawPointer(memory).deallocate()
    }

    /// The object of a handle that a C callback gets. The callback calls it and does nothing else.
    static func of<Handle>(_ handle: UnsafeMutablePointer<Handle>) -> Self {
        let memory = UnsafeMutableRawPointer(handle).assumingMemoryBound(to: uv_handle_t.self)
        let object = Unmanaged<LoopHandle>.fromOpaque(memory.pointee.data).takeUnretainedValue()
        object.loop.enterTurn()
        return unsafeDowncast(object, to: Self.self)
    }

    /// The object behind any handle of a loop, or nil for the loop's own.
    static func from(_ handle: UnsafeMutablePointer<uv_handle_t>) -> LoopHandle? {
        switch handle.pointee.type {
        case UV_ASYNC, UV_PREPARE, UV_IDLE: nil
        default: Unmanaged<LoopHandle>.fromOpaque(handle.pointee.data).takeUnretainedValue()
        }
    }
}
