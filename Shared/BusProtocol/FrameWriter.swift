/// Writes one frame's header at the end of a buffer, member by member. `finish` patches the lengths in.
package struct FrameWriter: ~Copyable {
    private let start: Int

    /// Begins a frame with its op.
    package init(_ op: BusOp, into output: inout [UInt8]) {
        start = output.count
        output.append(contentsOf: [0, 0, 0, 0, 0, 0, 0, 0])
        output.append(contentsOf: "{\"op\":\"".utf8)
        output.append(contentsOf: op.rawValue.utf8)
        output.append(UInt8(ascii: "\""))
    }

    /// Adds a string.
    package func member(_ name: HeaderMember, _ text: String, into output: inout [UInt8]) {
        self.name(name, into: &output)
        JSONBytes.append(text, to: &output)
    }

    /// Adds a string when there is one.
    package func member(_ name: HeaderMember, _ text: String?, into output: inout [UInt8]) {
        if let text { member(name, text, into: &output) }
    }

    /// Adds an integer.
    package func member(_ name: HeaderMember, _ number: Int, into output: inout [UInt8]) {
        self.name(name, into: &output)
        JSONBytes.append(number, to: &output)
    }

    /// Adds an integer when there is one.
    package func member(_ name: HeaderMember, _ number: Int?, into output: inout [UInt8]) {
        if let number { member(name, number, into: &output) }
    }

    /// Adds a boolean.
    package func member(_ name: HeaderMember, _ flag: Bool, into output: inout [UInt8]) {
        self.name(name, into: &output)
        output.append(contentsOf: (flag ? "true" : "false").utf8)
    }

    /// Adds headers when there are some.
    package func member(_ name: HeaderMember, _ headers: BusHeaders, into output: inout [UInt8]) {
        guard !headers.isEmpty else { return }
        self.name(name, into: &output)
        var separator = UInt8(ascii: "{")
        for (name, value) in headers {
            output.append(separator)
            JSONBytes.append(name, to: &output)
            output.append(UInt8(ascii: ":"))
            JSONBytes.append(value, to: &output)
            separator = UInt8(ascii: ",")
        }
        output.append(UInt8(ascii: "}"))
    }

    /// Adds a value that is JSON already, such as one taken from another frame.
    package func raw(_ name: HeaderMember, _ json: Span<UInt8>, into output: inout [UInt8]) {
        self.name(name, into: &output)
        output.append(json)
    }

    /// Ends the header and adds the body.
    /// - Returns: The header's length.
    @discardableResult
    package consuming func finish(body: Span<UInt8> = Span(), into output: inout [UInt8]) -> Int {
        output.append(UInt8(ascii: "}"))
        let header = output.count - start - BusLimits.prefixBytes
        output[start + 1] = UInt8(truncatingIfNeeded: header >> 16)
        output[start + 2] = UInt8(truncatingIfNeeded: header >> 8)
        output[start + 3] = UInt8(truncatingIfNeeded: header)
        for byte in 0..<4 { output[start + 4 + byte] = UInt8(truncatingIfNeeded: body.count >> (24 - 8 * byte)) }
        output.append(body)
        return header
    }

    /// Adds `,"name":`.
    package func name(_ name: HeaderMember, into output: inout [UInt8]) {
        output.append(contentsOf: ",\"".utf8)
        output.append(contentsOf: name.wireName.utf8)
        output.append(contentsOf: "\":".utf8)
    }
}
