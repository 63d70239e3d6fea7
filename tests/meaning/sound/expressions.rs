//! L1. The symbolic meaning of an expression under an assignment is its evaluation, and so is Z3's; definedness included.
