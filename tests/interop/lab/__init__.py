"""What the interop checks are made of: processes, a served fabric, a subnet manager, a report."""
