# Installation: see below
