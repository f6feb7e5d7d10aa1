module warpscope

go 1.26
