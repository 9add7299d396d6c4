//! The boundary to Python.
