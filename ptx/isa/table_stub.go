package isa

var copyForms = []Form{}
var textureForms = []Form{}
var mbarrierForms = []Form{}
var matrixForms = []Form{}
var wgmmaForms = []Form{}
var tcgenForms = []Form{}
