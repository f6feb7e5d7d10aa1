package ui

// Popup is an open menu of a button or of a cell.
type Popup struct {
	Name  string
	Items []popupItem
	X, Y  int // where its upper left corner is, if there is room
}

// popupItem is one entry of a menu.
type popupItem struct {
	Head   string // of the group that begins with it; "" for none
	Label  string
	Keys   string
	Action Action
	Off    bool // it cannot be chosen now
	Choice bool // one of several, of which one is Chosen
	Chosen bool
}

// ShowPopup opens a menu; nil closes it.
type ShowPopup struct{ Popup *Popup }
