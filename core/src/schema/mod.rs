//! JSON Schema: compiled once, applied under budgets, with error texts a model can act on.
