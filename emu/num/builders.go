package num

// builders finds the builder of a mnemonic. It is a switch and not a map: nothing to initialise, nothing to keep.
func builders(mnemonic string) builder {
	switch mnemonic {
	case "add", "sub":
		return byKind(buildAddSub, buildFloatArith)
	case "mul":
		return byKind(buildMul, buildFloatArith)
	case "mad":
		return byKind(buildMad, buildFloatArith)
	case "fma":
		return byKind(nil, buildFloatArith)
	case "addc", "subc", "madc":
		return buildCarry
	case "mul24", "mad24":
		return buildMul24
	case "div":
		return byKind(buildDivRem, buildDiv)
	case "rem":
		return buildDivRem
	case "abs", "neg":
		return byKind(buildAbsNeg, buildFloatAbsNeg)
	case "min", "max":
		return byKind(buildMinMax, buildFloatMinMax)
	case "rcp":
		return buildRcp
	case "sqrt":
		return buildSqrt
	case "rsqrt":
		return buildRsqrt
	case "sin", "cos", "lg2", "ex2", "tanh":
		return buildTranscendental
	case "testp":
		return buildTestp
	case "copysign":
		return buildCopysign
	case "set":
		return buildSet
	case "setp":
		return buildSetp
	case "slct":
		return buildSlct
	case "cvt":
		return buildCvt
	}
	return intBuilders(mnemonic)
}

// intBuilders are the mnemonics that only integers and bits have.
func intBuilders(mnemonic string) builder {
	switch mnemonic {
	case "sad":
		return buildSad
	case "popc", "clz", "brev":
		return buildBits
	case "bfind":
		return buildBfind
	case "fns":
		return buildFns
	case "bfe":
		return buildBfe
	case "bfi":
		return buildBfi
	case "szext":
		return buildSzext
	case "clmad":
		return buildClmad
	case "bmsk":
		return buildBmsk
	case "dp4a":
		return buildDp4a
	case "dp2a":
		return buildDp2a
	case "and", "or", "xor", "not", "cnot":
		return buildLogic
	case "lop3":
		return buildLop3
	case "shl", "shr":
		return buildShift
	case "shf":
		return buildShf
	case "prmt":
		return buildPrmt
	}
	return nil
}
