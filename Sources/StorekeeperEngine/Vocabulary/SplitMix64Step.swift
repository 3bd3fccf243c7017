/// Performs one step of SplitMix64, the basis of all generators of pseudorandom numbers in the package.
///
/// Neighboring states produce unrelated sequences, and a sequence can be continued from a stored state. The numbers
/// must not be used as secrets.
///
/// - Parameter state: Any number; equal states produce equal numbers.
/// - Returns: The next number, evenly spread over all of `UInt64`.
/// - SeeAlso: Guy L. Steele, Doug Lea and Christine H. Flood, "Fast splittable pseudorandom number generators",
///   OOPSLA 2014.
@inlinable
package func stepSplitMix64(_ state: inout UInt64) -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
}
